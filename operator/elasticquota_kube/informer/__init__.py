"""List and watch: typed objects of one kind, followed for as long as the process runs."""

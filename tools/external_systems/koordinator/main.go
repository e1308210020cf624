// Command koordinator-e2e runs the specs of Koordinator's own package test/e2e/quota against a
// cluster, as they are.
//
// Koordinator runs them inside its whole end-to-end suite, which also brings its node agent's and
// scheduler's specs, and waits for pods of a kubelet first. Left out is only that: its framework
// makes the namespaces, waits and cleans up here too.
package main

import (
	"flag"
	"os"

	"github.com/koordinator-sh/koordinator/test/e2e/framework"
	"github.com/koordinator-sh/koordinator/test/e2e/framework/config"
	_ "github.com/koordinator-sh/koordinator/test/e2e/quota"
	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
)

// result takes the place of testing.T: Ginkgo tells it that a spec has failed.
type result struct{ failed bool }

func (r *result) Fail() { r.failed = true }

func main() {
	config.CopyFlags(config.Flags, flag.CommandLine)
	framework.RegisterCommonFlags(flag.CommandLine)
	framework.RegisterClusterFlags(flag.CommandLine)
	flag.Parse()
	framework.AfterReadingAllFlags(&framework.TestContext)
	gomega.RegisterFailHandler(framework.Fail)
	var ended result
	if passed := ginkgo.RunSpecs(&ended, "quota"); !passed || ended.failed {
		os.Exit(1)
	}
}

// Command kstatus prints what kstatus, as Flux, Argo CD's health checks and cli-utils use it, makes
// of each object of a JSON array on standard input: one line each, with status and message.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
)

func main() {
	var objects []json.RawMessage
	if err := json.NewDecoder(os.Stdin).Decode(&objects); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	for _, each := range objects {
		var object unstructured.Unstructured
		if err := object.UnmarshalJSON(each); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		found, err := status.Compute(&object)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Printf("%s %s\n", found.Status, found.Message)
	}
}

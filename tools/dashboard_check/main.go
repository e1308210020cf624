// Command dashboard-check reads Grafana dashboards, each a file, and prints a line for all that
// Grafana's schema does not know, lacks, or gives another type.
//
// The schema is that of Grafana's own foundation SDK: its types are generated from it. Panels and
// queries are checked by the schema of their kind. The exit code is 1 when a dashboard is wrong.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

func main() {
	plugins.RegisterDefaultPlugins()
	wrong := false
	for _, path := range os.Args[1:] {
		if err := check(path); err != nil {
			fmt.Printf("%s: %s\n", path, err)
			wrong = true
		}
	}
	if wrong {
		os.Exit(1)
	}
}

// check returns what is wrong. The SDK's strict reading returns an error without text for what is
// right and then leaves the panels out, so they are read once more.
func check(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := new(dashboard.Dashboard).UnmarshalJSONStrict(text); err != nil && err.Error() != "" {
		return err
	}
	var board dashboard.Dashboard
	if err := json.Unmarshal(text, &board); err != nil {
		return err
	}
	for i, each := range board.Panels {
		if each.Panel == nil { // a row
			continue
		}
		if _, found := cog.ConfigForPanelcfgVariant(each.Panel.Type); !found {
			return fmt.Errorf("panels[%d].type: there is no kind of panel '%s'", i, each.Panel.Type)
		}
	}
	return board.Validate()
}

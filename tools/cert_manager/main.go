// Command cert-manager runs cert-manager's own control loops for the tests: those that make CA and
// self-signed certificates, or its cainjector.
//
// cert-manager's commands are modules of their own, which are not published; its module has all
// they call. Left out are its admission webhook, ACME, Vault and Venafi, and leader election, for
// the tests run one of each.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/cert-manager/cert-manager/pkg/controller"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/approver"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/ca"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/selfsigned"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/issuing"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/keymanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/readiness"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/requestmanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/revisionmanager"
	_ "github.com/cert-manager/cert-manager/pkg/controller/certificates/trigger"
	_ "github.com/cert-manager/cert-manager/pkg/controller/issuers"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/ca"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/selfsigned"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
)

const workers = 2

func main() {
	kubeconfig := flag.String("for", "", "kubeconfig of the account to work as")
	flag.Parse()
	ctrl.SetLogger(klog.Background())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	switch part := flag.Arg(0); part {
	case "controller":
		err = issue(ctx, *kubeconfig)
	case "cainjector":
		err = inject(ctx, *kubeconfig)
	default:
		err = fmt.Errorf("%q is neither controller nor cainjector", part)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// issue runs every control loop that the imports above register.
func issue(ctx context.Context, kubeconfig string) error {
	factory, err := controller.NewContextFactory(ctx, controller.ContextOptions{
		Kubeconfig: kubeconfig,
		CertificateOptions: controller.CertificateOptions{
			CertificateRequestMinimumBackoffDuration: time.Hour,
			CertificateRequestMaximumBackoffDuration: 32 * time.Hour,
		},
	})
	if err != nil {
		return err
	}
	root, err := factory.Build()
	if err != nil {
		return err
	}
	loops := map[string]controller.Interface{}
	for name, construct := range controller.Known() {
		if loops[name], err = construct(factory); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	root.SharedInformerFactory.Start(ctx.Done())
	root.KubeSharedInformerFactory.Start(ctx.Done())
	root.HTTP01ResourceMetadataInformersFactory.Start(ctx.Done())
	var running sync.WaitGroup
	failed := make(chan error, len(loops))
	for name, loop := range loops {
		running.Go(func() {
			if err := loop.Run(workers, ctx); err != nil {
				failed <- fmt.Errorf("%s: %w", name, err)
			}
		})
	}
	running.Wait()
	select {
	case err := <-failed:
		return err
	default:
		return nil
	}
}

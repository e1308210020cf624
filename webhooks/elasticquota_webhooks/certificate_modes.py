"""Who makes the certificate is a matter of configuration; how it is kept is not."""

import os
from pathlib import Path
from typing import Final

from elasticquota_kube.api import Api
from elasticquota_kube.configuration_sections import Webhook
from elasticquota_webhooks import certificates, timing
from elasticquota_webhooks.authority_store import AuthorityStore
from elasticquota_webhooks.bundle import Publisher
from elasticquota_webhooks.certificates import Certificate
from elasticquota_webhooks.keeper import Keeper
from elasticquota_webhooks.mounted_certificates import MountedCertificates
from elasticquota_webhooks.offers import Source
from elasticquota_webhooks.own_certificates import OwnCertificates
from elasticquota_webhooks.server_clock import ServerClock
from elasticquota_webhooks.timing import Timing
from elasticquota_webhooks.webhook_paths import WebhookPaths


FOLDER_VARIABLE: Final = "CERTIFICATES_FOLDER"
"""Names the folder of the mounted Secret, as POD_IP names the address: the pod knows."""
DEFAULT_FOLDER: Final = "/etc/elastic-quota-certificates"


def keeper(
    settings: Webhook,
    api: Api,
    namespace: str,
    certificate: Certificate,
    paths_taken: WebhookPaths,
    times: Timing = timing.NORMAL,
) -> Keeper:
    """The keeper of ``certificate`` and of the paths, in the mode of the settings."""
    hosts = certificates.service_names(settings.service, namespace)
    source: Source
    if settings.certificates.mode == "self":
        source = OwnCertificates(
            AuthorityStore(api, namespace, settings.ca_secret, times), hosts, times
        )
    else:
        folder = Path(os.environ.get(FOLDER_VARIABLE, DEFAULT_FOLDER))
        source = MountedCertificates(
            folder, certificates.asked_for(hosts), publishes=settings.certificates.publish_bundle
        )
    return Keeper(
        source,
        Publisher(
            api,
            settings.configuration,
            times,
            paths_taken,
            publishes_path=settings.certificates.publish_path,
        ),
        certificate,
        ServerClock(api),
        certificates.asked_for(hosts),
        times,
    )

"""Builds the certificate manager for the mode in the configuration."""

import os
from pathlib import Path
from typing import Final

from elasticquota_config.sections.processes import WebhookSection
from elasticquota_kube.client.api import Api
from elasticquota_webhooks.certificates import serving_certificate, timing
from elasticquota_webhooks.certificates.authority_store import AuthorityStore
from elasticquota_webhooks.certificates.ca_bundle import Publisher
from elasticquota_webhooks.certificates.manager import CertificateManager
from elasticquota_webhooks.certificates.mounted import MountedCertificates
from elasticquota_webhooks.certificates.self_signed import OwnCertificates
from elasticquota_webhooks.certificates.server_clock import ServerClock
from elasticquota_webhooks.certificates.serving_certificate import Certificate
from elasticquota_webhooks.certificates.source import CertificateSource
from elasticquota_webhooks.certificates.timing import Timing
from elasticquota_webhooks.server.webhook_paths import WebhookPaths


FOLDER_VARIABLE: Final = "CERTIFICATES_FOLDER"
"""The environment variable with the folder of the mounted Secret."""
DEFAULT_FOLDER: Final = "/etc/elastic-quota-certificates"


def manager(
    settings: WebhookSection,
    api: Api,
    namespace: str,
    certificate: Certificate,
    paths_taken: WebhookPaths,
    times: Timing = timing.NORMAL,
) -> CertificateManager:
    """The manager of ``certificate`` and of the paths, in the mode of the settings."""
    hosts = serving_certificate.service_names(settings.service, namespace)
    source: CertificateSource
    if settings.certificates.mode == "self":
        source = OwnCertificates(
            AuthorityStore(api, namespace, settings.ca_secret, times), hosts, times
        )
    else:
        folder = Path(os.environ.get(FOLDER_VARIABLE, DEFAULT_FOLDER))
        source = MountedCertificates(
            folder,
            serving_certificate.asked_for(hosts),
            publishes=settings.certificates.publish_bundle,
        )
    return CertificateManager(
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
        serving_certificate.asked_for(hosts),
        times,
    )

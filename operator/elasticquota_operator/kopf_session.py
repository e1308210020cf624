"""Kopf's connection to the API server: our credentials, which may change while it runs."""

import aiohttp
import kopf

from elasticquota_kube.client.credentials.credentials import Credentials
from elasticquota_kube.client.sessions import aiohttp_session


def of(credentials: Credentials) -> kopf.AiohttpSession:
    """A session that reads the token at each request, so a renewal needs no new login.

    When the cluster's authority changes the session closes, upon which Kopf logs in again.
    """
    tls, token = credentials.tls, credentials.token
    context = tls.current() if tls is not None else True

    async def authorized(
        request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
    ) -> aiohttp.ClientResponse:
        if tls is not None and tls.current() is not context:
            await session.close()
            raise RuntimeError("the cluster's authority has changed")
        text = token.current()
        if text is not None:
            request.headers["Authorization"] = f"Bearer {text}"
        try:
            response = await handler(request)
        except aiohttp.ClientConnectionError as error:
            if tls is not None and aiohttp_session.is_distrust(error):
                tls.forget()
            raise
        if response.status == 401:
            token.forget()
        return response

    session = aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, ssl=context),
        headers={"User-Agent": "elastic-quota-operator/kopf"},
        proxy=credentials.proxy,
        middlewares=(authorized,),
    )
    return kopf.AiohttpSession(server=credentials.server, aiohttp_session=session)

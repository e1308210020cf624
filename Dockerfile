# The image of both processes. Every package is installed from a lock with hashes.
ARG PYTHON=3.13
# A release passes the same image by its digest.
ARG BASE=python:${PYTHON}-slim

FROM ${BASE} AS wheel
WORKDIR /source
COPY requirements/build.txt requirements/
RUN pip install --no-cache-dir --require-hashes --requirement requirements/build.txt
COPY pyproject.toml README.md LICENSE ./
COPY operator operator
COPY webhooks webhooks
RUN hatchling build --target wheel --directory /wheel

FROM ${BASE} AS installed
COPY requirements/runtime.txt /
RUN python -m venv --without-pip /opt/elastic-quota
RUN pip --python /opt/elastic-quota/bin/python install --no-cache-dir --require-hashes --requirement /runtime.txt
COPY --from=wheel /wheel /wheel
RUN pip --python /opt/elastic-quota/bin/python install --no-cache-dir --no-deps /wheel/*.whl

FROM ${BASE}
# No installer in what runs.
RUN rm -rf /usr/local/lib/python3*/site-packages/pip* /usr/local/lib/python3*/ensurepip /usr/local/bin/pip*
# The root file system is read-only at run time; byte code was written above, by pip.
ENV PATH=/opt/elastic-quota/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
COPY --from=installed /opt/elastic-quota /opt/elastic-quota
USER 65532:65532
ENTRYPOINT ["elastic-quota"]

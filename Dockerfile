# The image of both processes. Every package is installed from a lock with hashes.
ARG PYTHON=3.13

FROM python:${PYTHON}-slim AS wheel
WORKDIR /source
COPY requirements/build.txt requirements/
RUN pip install --no-cache-dir --require-hashes --requirement requirements/build.txt
COPY pyproject.toml README.md LICENSE ./
COPY operator operator
COPY webhooks webhooks
RUN hatchling build --target wheel --directory /wheel

FROM python:${PYTHON}-slim AS installed
COPY requirements/runtime.txt /
RUN python -m venv --without-pip /opt/elastic-quota
RUN pip --python /opt/elastic-quota/bin/python install --no-cache-dir --require-hashes --requirement /runtime.txt
COPY --from=wheel /wheel /wheel
RUN pip --python /opt/elastic-quota/bin/python install --no-cache-dir --no-deps /wheel/*.whl

FROM python:${PYTHON}-slim
# The root file system is read-only at run time; byte code was written above, by pip.
ENV PATH=/opt/elastic-quota/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
COPY --from=installed /opt/elastic-quota /opt/elastic-quota
USER 65532:65532
ENTRYPOINT ["elastic-quota"]

# The live stream, and every other command, in a container: docs/how-to/docker.md.
# The digest means python:3.12.14-slim-trixie; Dependabot raises it.
FROM python:3.12-slim@sha256:78387bc3881b8273120a12ebe6c1ab22b018ccc2c9adf565ae1ac9b536e184ea AS build

WORKDIR /src
COPY . .
RUN python -m venv /opt/osi-lidar \
    && /opt/osi-lidar/bin/python -m pip install --no-cache-dir '.[metrics]'
# elsewhere: the installed package gets the kernels
WORKDIR /tmp
RUN /opt/osi-lidar/bin/python /src/tools/build_kernels.py

FROM python:3.12-slim@sha256:78387bc3881b8273120a12ebe6c1ab22b018ccc2c9adf565ae1ac9b536e184ea

# libgomp1 is OpenMP, on which the threads of kernels run; its version is that of the base image.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libgomp1 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 lidar
COPY --from=build /opt/osi-lidar /opt/osi-lidar
COPY packaging/container/health.py /opt/osi-lidar/health.py

ENV PATH=/opt/osi-lidar/bin:$PATH \
    PYTHONUNBUFFERED=1
USER 1000
WORKDIR /home/lidar

# of a simulator, of subscribers, of Prometheus
EXPOSE 48198 48199 9464
# Without kernels for its processor, a stream compiles before it opens its ports.
HEALTHCHECK --interval=30s --timeout=5s --start-period=120s --retries=3 \
    CMD ["python", "-I", "/opt/osi-lidar/health.py"]
ENTRYPOINT ["osi-lidar"]
CMD ["stream", "--help"]

# last, so that another commit keeps the layers above
ARG SOURCE=""
ARG REVISION=""
LABEL org.opencontainers.image.title="osi-lidar" \
    org.opencontainers.image.description="A lidar sensor model for virtual testing: ASAM OSI in, point clouds and OSI out" \
    org.opencontainers.image.version="0.3.0" \
    org.opencontainers.image.licenses="Apache-2.0 AND BSD-2-Clause" \
    org.opencontainers.image.source="${SOURCE}" \
    org.opencontainers.image.revision="${REVISION}"

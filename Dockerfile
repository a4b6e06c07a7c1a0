# The live stream, and every other command, in a container: docs/docker.md.
FROM python:3.12-slim AS build

WORKDIR /src
COPY . .
RUN python -m venv /opt/osi-lidar \
    && /opt/osi-lidar/bin/python -m pip install --no-cache-dir '.[metrics]'

FROM python:3.12-slim

# libgomp1 is OpenMP, on which the threads of kernels run; its version is that of the base image.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libgomp1 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 lidar
COPY --from=build /opt/osi-lidar /opt/osi-lidar

# Kernels are compiled for this kind of processor, not for that of the machine that builds the image.
ARG CPU=x86-64-v3
ENV PATH=/opt/osi-lidar/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    NUMBA_CPU_NAME=$CPU \
    NUMBA_CPU_FEATURES=
USER 1000
WORKDIR /home/lidar

# Both kinds of sensor run once: their compiled kernels stay in the user's folder.
RUN trace=$(python -c 'from osi_lidar.run.example_scene import street; print(street().trace)') \
    && for fidelity in ideal physical; do \
         osi-lidar replay "$trace" --fidelity "$fidelity" --frames 0:2 --out /tmp/warm --overwrite \
         || exit 1; \
       done \
    && rm -r /tmp/warm

# of a simulator, of subscribers, of Prometheus
EXPOSE 48198 48199 9464
ENTRYPOINT ["osi-lidar"]
CMD ["stream", "--help"]

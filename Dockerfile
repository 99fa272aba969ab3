# syntax=docker/dockerfile:1
FROM python:3.11-slim AS build

ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
WORKDIR /src
RUN python -m venv /tools && python -m venv --without-pip /app/venv

# Locks first: a change of ours re-uses the layers of everybody else's packages.
COPY requirements-scale.txt requirements-build.txt ./
RUN /tools/bin/pip --python /app/venv install --require-hashes --no-deps --only-binary :all: -r requirements-scale.txt \
 && /tools/bin/pip install --require-hashes --no-deps --only-binary :all: -r requirements-build.txt

COPY pyproject.toml LICENSE README.md openenv.yaml main.py ./
COPY parlay_env parlay_env
COPY agent agent
COPY game game
COPY cli cli
COPY dashboard dashboard
COPY mcp_server mcp_server
COPY docs/rules.md docs/rules.md
COPY training training
COPY server server
RUN /tools/bin/pip wheel --no-deps --no-build-isolation --wheel-dir /wheels . \
 && /tools/bin/pip --python /app/venv install --no-deps --no-index /wheels/*.whl

FROM python:3.11-slim

# Nothing is installed from here on.
RUN python -m pip uninstall --yes --root-user-action ignore setuptools wheel pip
# The root is read-only where this runs; only /tmp may be written.
ENV PATH=/app/venv/bin:$PATH HOME=/tmp PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
COPY --from=build /app/venv /app/venv
# People's games. Without this volume, or PARLAY_DATABASE_URL, they last as long as the container.
RUN mkdir /data && chown 65532:65532 /data
ENV PARLAY_DATABASE_URL=sqlite:////data/parlay.db
VOLUME /data
WORKDIR /app
USER 65532:65532
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/health', timeout=2)"]
CMD ["python", "-m", "main", "--host", "0.0.0.0", "--port", "8000"]

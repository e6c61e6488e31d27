# The two commands, with all they need: docker build -t dpbi . && docker run --rm dpbi make test
FROM python:3.11-slim
RUN apt-get update -qq \
 && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium git make \
 && rm -rf /var/lib/apt/lists/*
RUN useradd --create-home reader
USER reader
WORKDIR /dpbi
COPY --chown=reader requirements.lock pyproject.toml README.md LICENSE Makefile ./
COPY --chown=reader src src
RUN make env
COPY --chown=reader . .
RUN touch .venv/installed
CMD ["make", "book"]

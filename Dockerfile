# docker build -t arag-inspect . && docker run --rm -v "$PWD:/work" arag-inspect demo
FROM python:3.11-slim

COPY pyproject.toml constraints.txt README.md LICENSE /src/
COPY arag_inspect /src/arag_inspect
RUN pip install --no-cache-dir --extra-index-url https://download.pytorch.org/whl/cpu \
        -c /src/constraints.txt '/src[offline]' \
    && rm -rf /src \
    && useradd --create-home inspect

USER inspect
WORKDIR /work
ENTRYPOINT ["arag-inspect"]
CMD ["--help"]

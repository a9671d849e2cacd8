/** Where makers of tools keep their installers. */
const INSTALLERS =
  /^https:\/\/(?:raw\.githubusercontent\.com|github\.com|sh\.rustup\.rs|astral\.sh|bun\.sh|deno\.land|(?:get|install|cli|uploader|deb|rpm|packages|releases|download|downloads|dl|static)\.[\w.-]+|codecov\.io|nixos\.org|foundry\.paradigm\.xyz|mise\.(?:run|jdx\.dev)|starship\.rs|ohmyposh\.dev|fly\.io|aka\.ms|bootstrap\.pypa\.io|deployctl|awscli\.amazonaws\.com|s3\.amazonaws\.com|storage\.googleapis\.com|sdk\.cloud\.google\.com|ollama\.com|tailscale\.com|railway\.app)\//;
const TALKS =
  /https?:|ftp:|\/dev\/tcp|\b(?:curl|wget|nc|ncat|socat|ssh|scp|rsync|socket|fetch|requests?|urllib|httpx?|connect)\b/i;
const STARTS_OR_TAKES =
  /\b(?:sh|bash|zsh|dash|ksh|python\d?|node|perl|ruby|php|eval|exec\w*|system|spawn\w*|Popen|subprocess|environ|env|source)\b|\.(?:ssh|aws|netrc|npmrc|env|kube|gnupg|docker|pgpass)\b|id_(?:rsa|ed25519)|credential|\$_ENV|\bENV\b/i;

/** An address where the maker of a tool keeps its installer: pipelines and makefiles run many of them. */
export function isInstaller(address: string): boolean {
  return INSTALLERS.test(address);
}

/** Code that may bring in more code from outside, or send something there: it talks to others, and starts or takes something. */
export function mayBringOrSend(code: string): boolean {
  return TALKS.test(code) && STARTS_OR_TAKES.test(code);
}

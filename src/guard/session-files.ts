import { basename } from "../system/index.ts";

const CODE =
  /\.(?:[cm]?[jt]sx?|py|ipynb|rb|p[lm]|php|lua|sh|bash|zsh|ksh|fish|rs|go|java|kts?|gradle|groovy|scala|cs|swift|ex|exs|clj|r|jl|tcl|awk|ps1|nix|dart|hs|ml|mk|mak|cmake|bzl|bazel|tf|hcl|json|ya?ml|toml|cfg|ini|envrc|service|xml|zig|build|gypi?|\w*proj|props|targets|sbt|bats|ninja)$/i;
const NAMES =
  /^(?:GNUmakefile|[Mm]akefile|[Jj]ustfile|\.justfile|Rakefile|Procfile(?:\..+)?|BUILD|WORKSPACE|Jenkinsfile|Vagrantfile|Gemfile|Guardfile|Fastfile|SConstruct|SConscript|wscript|Earthfile|Tiltfile|Dockerfile(?:\..+)?|Containerfile|Snakefile|CMakeLists\.txt|\.envrc|\.[a-z]+rc(?:\.local)?)$/;

/** A file that some program may run or load: by the ending of its name, by its whole name, or as a hook. */
export function isCodeFile(path: string): boolean {
  const name = basename(path);
  return CODE.test(name) || NAMES.test(name) || isHookFile(path) || !name.includes(".");
}

/** Run by git, whatever it is written in. */
export function isHookFile(path: string): boolean {
  return /\/(?:\.git\/hooks|\.husky|\.?githooks|\.?git-hooks|hooks)\/[a-z-]+$/.test(path);
}

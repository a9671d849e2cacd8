import { factsOfCall, type GuardContext, type Judgement, judgeTool } from "../../../src/exports/guard.ts";
import { normalise } from "../../../src/hosts/index.ts";
import type { MemorySystem } from "../../../src/system/memory.ts";
import { contextFor, HOME, judge, machine, PROJECT } from "../scene.ts";

/** A call as a host describes it: any tool that is not a shell. */
export interface ToolCall {
  readonly tool_name: string;
  readonly tool_input: unknown;
}

/**
 * A machine in daily use: secrets, start-up files, wiring of hosts and our own configuration are there to be lost, and so is work
 * outside the project. Dangerous and ordinary calls are judged on the same one.
 */
export const IN_USE: MemorySystem = machine({
  [`${PROJECT}/.env`]: "API_KEY=abc\nDATABASE_URL=postgres://app:abc@db.internal/app\n",
  [`${PROJECT}/.env.local`]: "API_KEY=abc\n",
  [`${PROJECT}/.env.production`]: "API_KEY=abc\n",
  [`${PROJECT}/terraform.tfvars`]: 'password = "abc"\n',
  [`${PROJECT}/.claude/settings.json`]: '{"hooks":{}}\n',
  [`${PROJECT}/.amplihack/config.jsonc`]: "{}\n",
  [`${PROJECT}/.git/hooks/pre-commit`]: "#!/bin/sh\nnpm test\n",
  [`${PROJECT}/scripts/build.sh`]: "#!/bin/sh\nnpm run build\n",
  [`${PROJECT}/scripts/report.py`]: "print('ok')\n",
  [`${PROJECT}/docs/guide.md`]: "# guide\n",
  [`${HOME}/.claude/settings.json`]: '{"hooks":{}}\n',
  [`${HOME}/.codex/config.toml`]: "\n",
  [`${HOME}/.amplihack/config.jsonc`]: "{}\n",
  [`${HOME}/.zshrc`]: "export EDITOR=vim\n",
  [`${HOME}/.profile`]: "\n",
  [`${HOME}/.gitconfig`]: "[user]\n\tname = me\n",
  [`${HOME}/.netrc`]: "machine api login me password abc\n",
  [`${HOME}/.npmrc`]: "//registry.npmjs.org/:_authToken=abc\n",
  [`${HOME}/.pypirc`]: "[pypi]\npassword = abc\n",
  [`${HOME}/.pgpass`]: "*:*:*:me:abc\n",
  [`${HOME}/.kube/config`]: "users:\n",
  [`${HOME}/.docker/config.json`]: '{"auths":{}}\n',
  [`${HOME}/.aws/config`]: "[profile dev]\n",
  [`${HOME}/.ssh/authorized_keys`]: "ssh-ed25519 AAAA me\n",
  [`${HOME}/.config/gh/hosts.yml`]: "github.com:\n  oauth_token: abc\n",
  [`${HOME}/thesis/chapter1.tex`]: "work\n",
  [`${HOME}/other/src/main.c`]: "int main(){}\n",
});

/** The judgement of a call as the hook of Claude Code would hand it over. */
export function judgeCall(call: ToolCall, options: Partial<GuardContext> = {}): Judgement {
  const context = contextFor({ system: IN_USE, ...options });
  const payload = { session_id: "s", cwd: context.cwd, hook_event_name: "PreToolUse", ...call };
  const read = normalise(JSON.stringify(payload), { host: "claude-code", env: IN_USE.env });
  if (!read.ok) throw new Error(`not a call: ${read.message}`);
  const { toolName, canonicalToolName, toolInput, facts } = read.value;
  if (toolName === null || canonicalToolName === null) throw new Error(`not a tool: ${call.tool_name}`);
  const tool = { name: toolName, canonicalName: canonicalToolName, input: toolInput };
  return judgeTool({ tool, facts: factsOfCall(canonicalToolName, toolInput, facts) }, context);
}

/** A drawn text: a shell command, or a call of another tool written as JSON with `tool_name` and `tool_input`. */
export function judgeDrawn(drawn: string, options: Partial<GuardContext> = {}): Judgement {
  return drawn.startsWith('{"tool_name"')
    ? judgeCall(JSON.parse(drawn) as ToolCall, options)
    : judge(drawn, { system: IN_USE, ...options });
}

/** The drawn calls that are asked about or denied, and those that pass. */
export function measureDrawn(
  drawn: readonly string[],
  options: Partial<GuardContext> = {},
): { readonly stopped: readonly string[]; readonly passed: readonly string[] } {
  const stopped = drawn.filter(text => judgeDrawn(text, options).verdict !== "allow");
  const stops = new Set(stopped);
  return { stopped, passed: drawn.filter(text => !stops.has(text)) };
}

import type { Workspace } from "../context.ts";
import { words } from "../words.ts";
import { partsBelow } from "./below.ts";
import { globMatches } from "./match.ts";

/** Files that decide which hooks an agent runs, below a project or a home directory. */
const WIRING = words(`
  .claude/settings.json .claude/settings.local.json .claude/settings*.json .claude/hooks/** .claude/plugins/**
  .claude/managed-settings.json .codex/config.toml .codex/hooks.json .codex/hooks/** .codex/rules/** .gemini/settings.json
  .gemini/hooks/** .gemini/config/hooks.json .gemini/extensions/** .github/hooks/** .copilot/hooks/** .copilot/config.json
  .cursor/hooks.json .cursor/hooks/** .cursor/cli.json .windsurf/hooks.json .codeium/windsurf/hooks.json .kiro/hooks/**
  .kiro/agents/** .qwen/settings.json .factory/settings.json .factory/hooks/** .augment/settings.json .opencode/plugin/**
  .opencode/plugins/** .config/opencode/plugin/** .config/opencode/plugins/** .config/opencode/opencode.json opencode.json
  .pi/extensions/** .pi/agent/extensions/** .pi/settings.json .goose/hooks/** .config/goose/** .clinerules/hooks/** .amplifier/hooks/** .amplifier/settings.yaml
  .agents/hooks.json .atomcode/hooks/** .amp/settings.json .config/amp/settings.json .devin/hooks.json .devin/hooks/**
`);

/** Directories whose loss takes the wiring with it. */
const WIRING_TREES = words(
  ".claude .codex .gemini .github/hooks .copilot .cursor .kiro .qwen .factory .augment .opencode .pi .amplifier .agents .windsurf",
);
const MANAGED =
  /^\/(etc\/(claude-code|codex|cursor|gemini-cli)|Library\/Application Support\/(ClaudeCode|Cursor|Codex))\//;

/** `own` is the guard's own configuration, grants, keys and programs, `hooks` the hosts' registrations. */
export function wiringPart(workspace: Workspace, path: string): "own" | "hooks" | undefined {
  if (isOwnState(workspace, path)) return "own";
  if (MANAGED.test(path)) return "hooks";
  for (const root of [workspace.home, workspace.project, workspace.cwd]) {
    const below = partsBelow(root, path)?.join("/");
    if (below === undefined) continue;
    if (below.startsWith(".amplihack/config.json") || below === ".amplihack") return "own";
    if (WIRING_TREES.includes(below) || WIRING.some(pattern => coversPath(pattern, below))) return "hooks";
  }
  return undefined;
}

function coversPath(pattern: string, path: string): boolean {
  return pattern.endsWith("/**") ? `${path}/`.startsWith(pattern.slice(0, -2)) : globMatches(pattern, path);
}

/** Logs and caches of the state home give no access. */
function isOwnState({ stateHomes }: Workspace, path: string): boolean {
  for (const home of stateHomes) {
    const parts = partsBelow(home, path);
    if (parts !== undefined) return /^(guard|\.claude|versions|config\..*|logs|)$/.test(parts[0] ?? "");
  }
  return /\/(amplihack|amplihack-hooks)(\.cjs)?$/.test(path) && /\/(bin|node_modules)\//.test(path);
}

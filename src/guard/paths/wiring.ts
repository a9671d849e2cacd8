import { components, isInside } from "../../system/paths.ts";
import type { Workspace } from "../context.ts";
import { words } from "../words.ts";
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
  for (const parts of places(workspace, path)) {
    const below = parts.join("/");
    if (below.startsWith(".amplihack/config.json") || below === ".amplihack") return "own";
    if (WIRING_TREES.includes(below)) return "hooks";
    if (
      WIRING.some(pattern =>
        pattern.endsWith("/**")
          ? below.startsWith(pattern.slice(0, -2)) || below === pattern.slice(0, -3)
          : globMatches(pattern, below),
      )
    ) {
      return "hooks";
    }
  }
  return undefined;
}

/** Logs and caches of the state home are nobody's way in. */
function isOwnState(workspace: Workspace, path: string): boolean {
  for (const home of workspace.stateHomes) {
    if (path === home) return true;
    if (!isInside(home, path)) continue;
    const [first] = components(path).slice(components(home).length);
    return (
      first === "guard" ||
      first === ".claude" ||
      first === "versions" ||
      first?.startsWith("config.") === true ||
      first === "logs"
    );
  }
  return /\/(amplihack|amplihack-hooks)(\.cjs)?$/.test(path) && /\/(bin|node_modules)\//.test(path);
}

function places(workspace: Workspace, path: string): readonly (readonly string[])[] {
  const roots = [workspace.home, workspace.project, workspace.cwd];
  return roots.flatMap(root =>
    root !== undefined && isInside(root, path) ? [components(path).slice(components(root).length)] : [],
  );
}

import { amp } from "./amp.ts";
import { amplifier } from "./amplifier.ts";
import { amplifierShell } from "./amplifier-shell.ts";
import { antigravity } from "./antigravity.ts";
import { aprCode } from "./apr-code.ts";
import { atomcode } from "./atomcode.ts";
import { augment } from "./augment.ts";
import { claudeCode } from "./claude-code.ts";
import { cline } from "./cline.ts";
import { codex } from "./codex.ts";
import { copilotCli } from "./copilot-cli.ts";
import { cursor } from "./cursor.ts";
import { devin } from "./devin.ts";
import { factoryDroid } from "./factory-droid.ts";
import { geminiCli } from "./gemini-cli.ts";
import { goose } from "./goose.ts";
import type { HostDescriptor, HostId } from "./host.ts";
import { kiro } from "./kiro.ts";
import { opencode } from "./opencode.ts";
import { pi } from "./pi.ts";
import { qwenCode } from "./qwen-code.ts";
import { vscodeCopilot } from "./vscode-copilot.ts";
import { windsurf } from "./windsurf.ts";

/** Every host by its id. */
export const HOSTS: Readonly<Record<HostId, HostDescriptor>> = {
  "claude-code": claudeCode,
  "copilot-cli": copilotCli,
  "vscode-copilot": vscodeCopilot,
  "gemini-cli": geminiCli,
  antigravity,
  codex,
  cursor,
  windsurf,
  devin,
  cline,
  kiro,
  "qwen-code": qwenCode,
  "factory-droid": factoryDroid,
  augment,
  goose,
  atomcode,
  "amplifier-shell": amplifierShell,
  amplifier,
  opencode,
  pi,
  amp,
  "apr-code": aprCode,
};

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

/** Every host by its id. A call needs one of them; the tables of the others are not even made. */
export const HOSTS: Readonly<Record<HostId, HostDescriptor>> = {
  get "claude-code"() {
    return claudeCode;
  },
  get "copilot-cli"() {
    return copilotCli;
  },
  get "vscode-copilot"() {
    return vscodeCopilot;
  },
  get "gemini-cli"() {
    return geminiCli;
  },
  get antigravity() {
    return antigravity;
  },
  get codex() {
    return codex;
  },
  get cursor() {
    return cursor;
  },
  get windsurf() {
    return windsurf;
  },
  get devin() {
    return devin;
  },
  get cline() {
    return cline;
  },
  get kiro() {
    return kiro;
  },
  get "qwen-code"() {
    return qwenCode;
  },
  get "factory-droid"() {
    return factoryDroid;
  },
  get augment() {
    return augment;
  },
  get goose() {
    return goose;
  },
  get atomcode() {
    return atomcode;
  },
  get "amplifier-shell"() {
    return amplifierShell;
  },
  get amplifier() {
    return amplifier;
  },
  get opencode() {
    return opencode;
  },
  get pi() {
    return pi;
  },
  get amp() {
    return amp;
  },
  get "apr-code"() {
    return aprCode;
  },
};

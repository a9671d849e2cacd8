import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  CommandError,
  type CommandInvocation,
  defineCommand,
  FORMAT_OPTION,
  type OptionSpecs,
  option,
  ownProgram,
} from "../cli/index.ts";
import {
  loadApply,
  loadOwner,
  loadPlatform,
  loadReleases,
  loadSettings,
  loadVerify,
  type Release,
  type UpdateSettings,
} from "../launcher/index.ts";
import { version } from "../version.ts";

const NEWER_EXIT_CODE = 10;

const OPTIONS = {
  check: option.boolean("only say whether there is a newer version"),
  "skip-install": option.boolean("fetch it, but leave the hooks of the agents as they are"),
  version: option.string("VERSION", "the version to change to, also an older one"),
  format: FORMAT_OPTION,
} as const satisfies OptionSpecs;

export const command = defineCommand({
  name: "update",
  summary: "replace amplihack with a newer version, checked by its signature",
  group: "Set up",
  details:
    "Releases come from update.source in config.jsonc. A release without a matching checksum and signature is refused.\n" +
    "Exit code with --check: 0 current, 10 a newer version is available.",
  options: OPTIONS,
  forAgents: { use: "asks", loosensWith: ["version"], passesWith: ["check"] },
  examples: {
    "amplihack update --check": "says whether there is a newer version",
    "amplihack update": "changes to the newest version",
    "amplihack update --version 1.2.0": "changes to that version, up or down",
  },
  run: update,
});

async function update(invocation: CommandInvocation<typeof OPTIONS>): Promise<number> {
  const { options, system, terminal } = invocation;
  const [{ checkPlatform }, { readUpdateSettings }, { fetchReleases, isNewer, latestRelease }] =
    await Promise.all([loadPlatform(), loadSettings(), loadReleases()]);
  checkPlatform(process.platform);
  const settings = readUpdateSettings(system);
  const { source } = settings.update;
  if (source === undefined) throw await noSource(settings);
  const offered = await fetchReleases(source);
  const latest = latestRelease(offered);
  const current = `amplihack ${version} is current\n`;
  const newer = latest !== undefined && isNewer(latest.version, version);
  if (options.check) {
    const news = `amplihack ${latest?.version} is available, this is ${version}; run: amplihack update\n`;
    const document = { current: version, latest: latest?.version ?? null, newer };
    terminal.printResult(options.format, document, newer ? news : current);
    return newer ? NEWER_EXIT_CODE : 0;
  }
  const wanted = options.version?.replace(/^v/, "");
  const named = offered.find(each => each.version === wanted);
  if (wanted !== undefined && named === undefined) {
    throw new CommandError(`there is no release ${wanted}`, {
      kind: "not-found",
      causes: [`${offered.length} releases are offered`],
      fix: "amplihack update --check",
    });
  }
  const chosen = named ?? (newer ? latest : undefined);
  if (chosen !== undefined && chosen.version !== version) return change(invocation, chosen, settings);
  terminal.printResult(
    options.format,
    { success: true, from: version, to: version, changed: false },
    current,
  );
  return 0;
}

/** There is no address of our own to fall back to, so the person is told what to set, and what works without. */
async function noSource({ stateHome, update: { publicKey } }: UpdateSettings): Promise<CommandError> {
  const { findOwner } = await loadOwner();
  const self = ownProgram();
  const owner = findOwner(self, stateHome);
  const hasKey = publicKey !== undefined || existsSync(shippedKey(self));
  const settings = `"source": "https://…"${hasKey ? "" : ', "publicKey": "…"'}`;
  const instead = "command" in owner ? `; or run: ${owner.command("latest")}` : "";
  return new CommandError("no source of releases is configured, and this version has none of its own", {
    kind: "update",
    causes: hasKey ? [] : ["no key to check releases with is shipped or configured either"],
    fix: `set "update": {${settings}} in ${stateHome}/config.jsonc${instead}`,
  });
}

function shippedKey(self: string): string {
  return join(dirname(dirname(self)), "release-key.pem");
}

async function change(
  { options, system, terminal }: CommandInvocation<typeof OPTIONS>,
  release: Release,
  { stateHome, update: { publicKey } }: UpdateSettings,
): Promise<number> {
  const [{ fetchRelease, registeredHosts, runInstall }, { releaseKey }, { findOwner }, { isNewer }] =
    await Promise.all([loadApply(), loadVerify(), loadOwner(), loadReleases()]);
  const self = ownProgram();
  const key = releaseKey(publicKey, shippedKey(self));
  const hosts = registeredHosts(system, stateHome);
  if (isNewer(version, release.version))
    terminal.note(`this goes back from ${version} to ${release.version}\n`);
  const program = await fetchRelease(system, release, stateHome, key);
  const wanted = options["skip-install"] ? undefined : hosts;
  const isInstalled = wanted !== undefined && runInstall(program, wanted);
  const owner = findOwner(self, stateHome);
  const ownCopy = "command" in owner ? owner.command(release.version) : undefined;
  const success = wanted === undefined || isInstalled;
  const lines = [
    `amplihack ${version} → ${release.version} (${program})`,
    ...(ownCopy === undefined ? [] : [`This copy is left as it is; to change it, run: ${ownCopy}`]),
    ...(wanted === undefined ? [`Hooks are left as they are; to change them, run: ${program} install`] : []),
  ];
  const document = {
    success,
    from: version,
    to: release.version,
    changed: true,
    program,
    installed_hosts: isInstalled ? wanted : [],
    own_copy: ownCopy,
  };
  terminal.printResult(options.format, document, `${lines.join("\n")}\n`);
  if (!success) terminal.warn(`Error: hooks could not be installed again\n  fix: ${program} install\n`);
  return success ? 0 : 1;
}

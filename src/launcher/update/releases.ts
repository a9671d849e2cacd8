import semver from "semver";
import { booleanAt, type Json, listAt, readJson, stringAt } from "../../protocol/index.ts";
import { Problem } from "../../state/index.ts";
import { fetchBytes } from "./fetch.ts";

export interface Release {
  /** without a leading `v` */
  readonly version: string;
  readonly isPrerelease: boolean;
  /** where one of its files is */
  addressOf(name: string): string;
}

const MAX_BYTES = 1024 * 1024;
const TIMEOUT_MS = 5_000;

/** What a source offers: a list of releases, or one, in the form of GitHub's interface. Drafts are left out. */
export async function fetchReleases(source: string, signal?: AbortSignal): Promise<readonly Release[]> {
  const bytes = await fetchBytes(source, {
    bytes: MAX_BYTES,
    timeoutMs: TIMEOUT_MS,
    ...(signal === undefined ? {} : { signal }),
  });
  const read = readJson(new TextDecoder().decode(bytes), { recover: false, maxDepth: 50 });
  if (!read.ok) {
    throw new Problem("the list of releases is not valid JSON", {
      kind: "update",
      fix: "check update.source in config.jsonc",
    });
  }
  const list = Array.isArray(read.value) ? read.value : [read.value];
  return list.flatMap(value => readRelease(value, source));
}

function readRelease(value: Json, source: string): readonly Release[] {
  const tag = stringAt(value, "tag_name") ?? "";
  const version = semver.valid(tag.replace(/^v/, ""));
  if (version === null || booleanAt(value, "draft") === true) return [];
  const assets = new Map(
    listAt(value, "assets").map(asset => [stringAt(asset, "name"), stringAt(asset, "browser_download_url")]),
  );
  return [
    {
      version,
      isPrerelease: booleanAt(value, "prerelease") === true || semver.prerelease(version) !== null,
      addressOf: name =>
        assets.get(name) ?? `${source.replace(/\/+$/, "")}/download/${encodeURIComponent(tag)}/${name}`,
    },
  ];
}

/** The newest that is no trial version. */
export function latestOf(releases: readonly Release[]): Release | undefined {
  return releases
    .filter(({ isPrerelease }) => !isPrerelease)
    .sort((a, b) => semver.rcompare(a.version, b.version))[0];
}

/** What is no version is not newer. */
export function isNewer(version: string, than: string): boolean {
  return semver.valid(version) !== null && semver.valid(than) !== null && semver.gt(version, than);
}

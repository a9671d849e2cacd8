import semver from "semver";
import { isJsonObject, type Json, ownValue, readJson } from "../../protocol/index.ts";
import { Problem } from "../../state/problem.ts";
import { fetchBytes } from "./fetch.ts";

export interface Release {
  /** without a leading `v` */
  readonly version: string;
  readonly isPrerelease: boolean;
  /** where one of its files is */
  addressOf(name: string): string;
}

const LIMIT_BYTES = 1024 * 1024;
const LIMIT_MS = 5_000;

/** What a source offers: a list of releases, or one, in the form of GitHub's interface. Drafts are left out. */
export async function fetchReleases(source: string, signal?: AbortSignal): Promise<readonly Release[]> {
  const bytes = await fetchBytes(source, {
    bytes: LIMIT_BYTES,
    timeoutMs: LIMIT_MS,
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
  if (!isJsonObject(value) || ownValue(value, "draft") === true) return [];
  const tag = ownValue(value, "tag_name");
  const version = typeof tag === "string" ? semver.valid(tag.replace(/^v/, "")) : null;
  if (typeof tag !== "string" || version === null) return [];
  const assets = new Map<string, string>();
  const listed = ownValue(value, "assets");
  for (const asset of Array.isArray(listed) ? listed : []) {
    if (!isJsonObject(asset)) continue;
    const [name, address] = [ownValue(asset, "name"), ownValue(asset, "browser_download_url")];
    if (typeof name === "string" && typeof address === "string") assets.set(name, address);
  }
  return [
    {
      version,
      isPrerelease: ownValue(value, "prerelease") === true || semver.prerelease(version) !== null,
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

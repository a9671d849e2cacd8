import { createHash } from "node:crypto";
import { type Database, SCHEMA } from "../../postgres/index.ts";
import { errorText } from "../../protocol/index.ts";
import {
  compileGlob,
  isInside,
  join,
  matchesGlob,
  relative,
  resolve,
  type System,
} from "../../system/index.ts";
import { sizeText } from "../../text/index.ts";
import type { KeepFiles } from "../logs/events.ts";

const FILES = `${SCHEMA}.recipe_files`;
const MAX_FILES = 50;
const MAX_FILE_BYTES = 8 * 1024 * 1024;
const MAX_RUN_BYTES = 64 * 1024 * 1024;
/** Entries of folders that are looked at for a pattern. */
const MAX_LOOKED_AT = 20_000;

/** Keeps files of a step with its run, in the database. What is not kept is told, and fails nothing. */
export function keepInDatabase(system: System, database: Pick<Database, "run">, runId: string): KeepFiles {
  return async ({ path }, directory, patterns) => {
    const problems: string[] = [];
    const names = new Set(patterns.flatMap(pattern => findFiles(system, directory, pattern, problems)));
    for (const name of [...names].slice(0, MAX_FILES)) {
      try {
        const problem = await keepFile(system, database, { runId, path, name }, join(directory, name));
        if (problem !== undefined) problems.push(`${name}: ${problem}`);
      } catch (error) {
        problems.push(`${name}: ${errorText(error)}`);
      }
    }
    if (names.size > MAX_FILES) problems.push(`only ${MAX_FILES} of ${names.size} files are kept`);
    return problems;
  };
}

/** Names below the directory. Nothing outside of it is meant, also by a link. */
function findFiles(
  { files }: System,
  directory: string,
  pattern: string,
  problems: string[],
): readonly string[] {
  const place = resolve(directory, pattern);
  const isOwn = (path: string) => isInside(files.realPath(directory), files.realPath(path));
  if (!isInside(directory, place)) {
    problems.push(`${pattern}: it does not lie in ${directory}`);
    return [];
  }
  if (files.follow(place)?.kind === "file") {
    if (isOwn(place)) return [relative(directory, place)];
    problems.push(`${pattern}: it leads out of ${directory}`);
    return [];
  }
  const glob = compileGlob(relative(directory, place), "path");
  const found: string[] = [];
  const open = [directory];
  let looked = 0;
  for (let folder = open.pop(); folder !== undefined && looked < MAX_LOOKED_AT; folder = open.pop())
    for (const name of files.list(folder)) {
      looked += 1;
      const path = join(folder, name);
      const kind = files.inspect(path)?.kind;
      if (kind === "directory" && name !== ".git") open.push(path);
      if (kind === "file" && matchesGlob(glob, relative(directory, path)))
        found.push(relative(directory, path));
    }
  if (looked >= MAX_LOOKED_AT) problems.push(`${pattern}: there are too many files to look at`);
  else if (found.length === 0) problems.push(`${pattern}: there is no such file`);
  return found;
}

async function keepFile(
  { files }: System,
  { run }: Pick<Database, "run">,
  { runId, path, name }: { readonly runId: string; readonly path: string; readonly name: string },
  place: string,
): Promise<string | undefined> {
  const size = files.follow(place)?.size ?? 0;
  if (size > MAX_FILE_BYTES) return `${sizeText(size)} are more than ${sizeText(MAX_FILE_BYTES)}`;
  const bytes = Buffer.from(files.read(place, MAX_FILE_BYTES));
  const rows = await run(
    `INSERT INTO ${FILES} (run_id, path, name, size, sha256, content)
     SELECT $1::text, $2::text, $3::text, $4::bigint, $5, decode($6, 'base64') WHERE $7::bigint >= $4::bigint + (
       SELECT coalesce(sum(size), 0) FROM ${FILES} WHERE run_id = $1 AND (path, name) <> ($2, $3))
     ON CONFLICT (run_id, path, name) DO UPDATE
       SET size = excluded.size, sha256 = excluded.sha256, content = excluded.content, kept = now()
     RETURNING name`,
    [
      ...[runId, path, name, bytes.length],
      ...[createHash("sha256").update(bytes).digest("hex"), bytes.toString("base64"), MAX_RUN_BYTES],
    ],
  );
  return rows.length === 0 ? `the run has ${sizeText(MAX_RUN_BYTES)} of files already` : undefined;
}

export interface KeptFile {
  readonly step: string;
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
}

export async function listKeptFiles(
  { run }: Pick<Database, "run">,
  runId: string,
): Promise<readonly KeptFile[]> {
  const rows = await run(
    `SELECT path, name, size, sha256 FROM ${FILES} WHERE run_id = $1 ORDER BY kept, path, name`,
    [runId],
  );
  return rows.map(row => ({
    step: String(row["path"]),
    name: String(row["name"]),
    size: Number(row["size"]),
    sha256: String(row["sha256"]),
  }));
}

export async function readKeptFile(
  { run }: Pick<Database, "run">,
  runId: string,
  { step, name }: Pick<KeptFile, "step" | "name">,
): Promise<Uint8Array | undefined> {
  const [row] = await run(`SELECT content FROM ${FILES} WHERE (run_id, path, name) = ($1, $2, $3)`, [
    ...[runId, step, name],
  ]);
  return row?.["content"] instanceof Uint8Array ? row["content"] : undefined;
}

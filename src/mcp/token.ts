import { Problem, readText } from "../state/index.ts";
import { join, type System, writeAtomically } from "../system/index.ts";

const TOKEN_DIGITS = 64;
const MAX_FILE_BYTES = 4_096;
const READ_BY_OTHERS = 0o077;

export function tokenFile(stateHome: string): string {
  return join(stateHome, "mcp", "token");
}

/** The secret of this user's server, made on first use. Clients keep it, so it stays the same until it is deleted. */
export function readToken(system: System, stateHome: string): string {
  const path = tokenFile(stateHome);
  const mode = system.files.follow(path)?.mode ?? 0;
  if ((mode & READ_BY_OTHERS) !== 0)
    throw new Problem(`${path} can be read by other users, so it is no secret`, {
      kind: "insecure",
      fix: `delete ${path} and start again; clients then need the new token`,
    });
  const known = readText(system, path, MAX_FILE_BYTES)?.trim();
  if (known !== undefined && new RegExp(`^[0-9a-f]{${TOKEN_DIGITS}}$`).test(known)) return known;
  const token = system.random.hex(TOKEN_DIGITS);
  writeAtomically(system, path, system.text.encode(`${token}\n`), { mode: 0o600, directoryMode: 0o700 });
  return token;
}

import { hasErrorCode, join, type System, sha256Hex } from "../system/index.ts";
import { complain } from "./complain.ts";
import { readText } from "./files.ts";

const KEY_DIGITS = 64;
const MAX_KEY_BYTES = 4096;

function machineKeyFile(stateHome: string): string {
  return join(stateHome, "guard", "machine.key");
}

/** The key of this machine; undefined before anything needed one, or when it cannot be read. */
export function findMachineKey(
  system: Pick<System, "files" | "text">,
  stateHome: string,
): string | undefined {
  const found = readText(system, machineKeyFile(stateHome), MAX_KEY_BYTES)?.trim();
  return found !== undefined && /^[0-9a-f]{64}$/.test(found) ? found : undefined;
}

/** The key of this machine, made on first use. Throws a `SystemError` when it can be neither read nor made. */
export function readMachineKey(system: System, stateHome: string): string {
  const path = machineKeyFile(stateHome);
  const found = findMachineKey(system, stateHome);
  if (found !== undefined) return found;
  if (system.files.inspect(path) !== undefined) {
    system.files.remove(path);
    complain(
      system,
      `${path} could not be read and is replaced: what was permitted or kept with it no longer counts`,
    );
  }
  const key = system.random.hex(KEY_DIGITS);
  system.files.makeDirectory(join(stateHome, "guard"), 0o700);
  try {
    system.files.createExclusive(path, system.text.encode(`${key}\n`), 0o600);
    return key;
  } catch (error) {
    if (!hasErrorCode(error, "EEXIST")) throw error;
    return findMachineKey(system, stateHome) ?? key;
  }
}

/** A digest of the parts that only who has the key can make. */
export function computeSeal({ text }: Pick<System, "text">, key: string, parts: readonly string[]): string {
  const digest = (content: string) => sha256Hex(text.encode(`${key}\n${content}`));
  return digest(digest(JSON.stringify(parts)));
}

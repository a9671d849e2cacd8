import { type System, sha256Hex } from "../system/index.ts";
import type { Config } from "./settings.ts";

/** Tells whether two machines are under the same rules: of everything that decides what an agent may do. */
export function policyDigest({ text }: Pick<System, "text">, config: Config): string {
  const { guard, autonomy, sandbox, parts, failure, history, managed } = config;
  return sha256Hex(
    text.encode(JSON.stringify({ guard, autonomy, sandbox, parts, failure, history, managed })),
  );
}

import { sign } from "node:crypto";
import { type RunSql, SCHEMA } from "../postgres/index.ts";

/** A text of ours with its signature: whoever has the public key knows that it is ours. */
export interface Signed {
  readonly statement: string;
  readonly signature: string;
}

/** One key for all servers of a database. Whoever owns the database has it too. */
export async function signStatement(run: RunSql, statement: string): Promise<Signed> {
  const [row] = await run(`SELECT private FROM ${SCHEMA}.server_keys`);
  return {
    statement,
    signature: sign(null, Buffer.from(statement), String(row?.["private"])).toString("base64"),
  };
}

export async function readPublicKey(run: RunSql): Promise<string> {
  const [row] = await run(`SELECT public FROM ${SCHEMA}.server_keys`);
  return String(row?.["public"] ?? "");
}

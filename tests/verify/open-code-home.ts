import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "libsql";
import { temporaryDirectory } from "../temporary-directory.ts";

/** One call as OpenCode keeps it: in its database, or as an older version did, in a file for each part. */
export function openCodeHome(command: string, form: "database" | "files" = "database"): string {
  const home = temporaryDirectory();
  const store = join(home, ".local/share/opencode");
  mkdirSync(store, { recursive: true });
  const session = { id: "ses_1", parentID: undefined, directory: "/work/shop" };
  const messages = [
    { id: "msg_1", role: "user", time: { created: 1_700_000_000_000 } },
    { id: "msg_2", role: "assistant", time: { created: 1_700_000_001_000 } },
  ];
  const parts = [
    { of: "msg_1", id: "prt_1", type: "text", text: "Tidy up." },
    { of: "msg_1", id: "prt_2", type: "text", text: "files of the project", synthetic: true },
    { of: "msg_2", id: "prt_3", type: "text", text: "I shall." },
    {
      of: "msg_2",
      id: "prt_4",
      type: "tool",
      tool: "bash",
      callID: "t1",
      state: { status: "completed", input: { command }, output: "done", metadata: { exit: 1 } },
    },
  ];
  if (form === "files") {
    const write = (path: string, value: object) => {
      mkdirSync(dirname(join(store, "storage", path)), { recursive: true });
      writeFileSync(join(store, "storage", path), JSON.stringify(value));
    };
    write("session/p/ses_1.json", session);
    for (const message of messages) write(`message/ses_1/${message.id}.json`, message);
    for (const { of, ...part } of parts) write(`part/${of}/${part.id}.json`, part);
    return home;
  }
  const database = new Database(join(store, "opencode.db"));
  database.exec("CREATE TABLE session (id, parent_id, directory, time_created)");
  database.exec("CREATE TABLE message (id, session_id, time_created, data)");
  database.exec("CREATE TABLE part (id, message_id, session_id, time_created, data)");
  database.prepare("INSERT INTO session VALUES ('ses_1', NULL, '/work/shop', 1)").run([]);
  const insertMessage = database.prepare("INSERT INTO message VALUES (?, 'ses_1', ?, ?)");
  for (const { id, ...data } of messages) insertMessage.run([id, data.time.created, JSON.stringify(data)]);
  const insertPart = database.prepare("INSERT INTO part VALUES (?, ?, 'ses_1', ?, ?)");
  for (const [at, { id, of, ...data }] of parts.entries()) insertPart.run([id, of, at, JSON.stringify(data)]);
  database.close();
  return home;
}

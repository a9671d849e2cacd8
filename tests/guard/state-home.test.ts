import { describe, expect, it } from "vitest";
import { judgeCommand, judgeTool } from "../../src/exports/guard.ts";
import { contextFor, HOME, machine } from "./scene.ts";

const STATE = `${HOME}/.amplihack`;
const system = machine({
  [`${STATE}/memory.db`]: "notes",
  [`${STATE}/memory.db-wal`]: "notes",
  [`${STATE}/history/journal.jsonl`]: "{}",
  [`${STATE}/history/objects/ab/cd`]: "TOKEN=x",
  [`${STATE}/logs/audit.jsonl`]: "{}",
  [`${STATE}/cache/update_check.json`]: "{}",
  [`${STATE}/guard/machine.key`]: "key",
});
const context = contextFor({ system, stateHome: STATE });
const verdictOf = (text: string) => judgeCommand(text, context).verdict;

describe("what people noted, and what was kept of their files", () => {
  it.each([
    "rm ~/.amplihack/memory.db",
    "rm ~/.amplihack/memory.db-wal",
    "rm -f ~/.amplihack/mem*",
    "cd ~/.amplihack && rm memory.db-shm memory.db",
    "mv ~/.amplihack/memory.db /tmp/x",
    "truncate -s0 ~/.amplihack/memory.db",
    "> ~/.amplihack/memory.db",
    "cp other.db ~/.amplihack/memory.db",
    "dd if=/dev/zero of=$HOME/.amplihack/memory.db",
    "ln -sf /dev/null ~/.amplihack/memory.db",
    "chmod 000 ~/.amplihack/memory.db",
    "trash ~/.amplihack/memory.db",
    "python3 -c \"import os; os.remove('/home/user/.amplihack/memory.db')\"",
    "node -e \"require('fs').writeFileSync(process.env.HOME + '/.amplihack/memory.db', '')\"",
    "sqlite3 ~/.amplihack/memory.db 'DELETE FROM memories WHERE id=1'",
    "sqlite3 ~/.amplihack/memory.db 'SELECT 1; DROP TABLE memories'",
    "sqlite3 ~/.amplihack/memory.db 'INSERT INTO memories VALUES (1)'",
    "sqlite3 ~/.amplihack/memory.db 'PRAGMA user_version(7)'",
    "sqlite3 ~/.amplihack/memory.db < changes.sql",
    'sqlite3 ~/.amplihack/memory.db "$SQL"',
    "sqlite3 -cmd 'DELETE FROM memories WHERE id=1' ~/.amplihack/memory.db 'SELECT 1'",
    "echo 'DELETE FROM memories WHERE id=1' | sqlite3 ~/.amplihack/memory.db",
    "sqlite3 file:///home/user/.amplihack/memory.db 'INSERT INTO memories VALUES (1)'",
    "sqlite3 x.db \"ATTACH '/home/user/.amplihack/memory.db' AS m; INSERT INTO m.memories VALUES (1)\"",
    "echo \"attach database '/home/user/.amplihack/memory.db' as m; update m.memories set id=1 where id=2\" | sqlite3",
    "sqlite3 :memory: '.open /home/user/.amplihack/memory.db' 'INSERT INTO memories VALUES (1)'",
    "sqlite3 x.db '.backup main /home/user/.amplihack/memory.db'",
    "sqlite3 x.db \"VACUUM INTO '/home/user/.amplihack/memory.db'\"",
    "sqlite3 x.db '.once /home/user/.amplihack/memory.db' 'SELECT 1'",
    "sqlite3 -readonly x.db '.output /home/user/.amplihack/config.json' 'SELECT 1'",
    "sqlite3 x.db \"SELECT writefile('/home/user/.amplihack/config.json', 'x')\"",
    "sqlite3 ~/.amplihack/memory.db \"SELECT load_extension('x')\"",
    "duckdb -c \"ATTACH '/home/user/.amplihack/memory.db' (TYPE sqlite); INSERT INTO memories VALUES (1)\"",
    "dd if=/dev/zero of=~/.amplihack/memory.db",
    "rm -rf ~/.amplihack/history",
    "rm -rf ~/.amplihack/history/objects",
    "rm ~/.amplihack/history/journal.jsonl",
    "echo x >> ~/.amplihack/history/journal.jsonl",
    "mv ~/.amplihack/history /tmp/h",
    "find ~/.amplihack/history -type f -delete",
  ])("are not lost without a question: %s", text => {
    expect(verdictOf(text)).not.toBe("allow");
  });

  it.each([
    "cat ~/.amplihack/history/objects/ab/cd",
    "grep -r TOKEN ~/.amplihack/history",
    "grep -r TOKEN ~/.amplihack",
    "cd ~/.amplihack && cp -r . /tmp/x",
    "tar -czf /tmp/x.tgz ~/.amplihack",
  ])("are not shown with the secrets among them: %s", text => {
    expect(verdictOf(text)).toBe("ask");
  });

  it.each([
    "ls -la ~/.amplihack ~/.amplihack/history",
    "du -sh ~/.amplihack/history",
    "find ~/.amplihack -name '*.db'",
    "cat ~/.amplihack/logs/audit.jsonl",
    "cp ~/.amplihack/memory.db /tmp/copy.db",
    "sqlite3 ~/.amplihack/memory.db 'SELECT count(*) FROM memories;'",
    "sqlite3 -header ~/.amplihack/memory.db .schema",
    "sqlite3 ~/.amplihack/memory.db 'PRAGMA table_info(memories)'",
    "sqlite3 -readonly ~/.amplihack/memory.db < question.sql",
    "sqlite3 app.db 'DELETE FROM users WHERE id=1'",
    "sqlite3 app.db '.once out.csv' 'SELECT 1'",
    "sqlite3 app.db '.backup backup.db'",
    "sqlite3 app.db \"ATTACH 'other.db' AS o; INSERT INTO t SELECT * FROM o.t\"",
    "sqlite3 app.db \"ATTACH 'file:/home/user/.amplihack/memory.db?mode=ro' AS m; SELECT 1\"",
    "duckdb -c \"COPY t TO 'out.csv'\"",
    "rm ~/.amplihack/cache/update_check.json",
    "rm memory.db",
    "cat src/history/index.ts",
    "amplihack memory store key value",
    "amplihack history",
  ])("do not stand in the way of other work: %s", text => {
    expect(verdictOf(text)).toBe("allow");
  });

  it.each([
    "sqlite3 x.db '.sys rm -rf ~'",
    "sqlite3 x.db '.once |rm -rf ~' 'SELECT 1'",
    "echo '.she rm -rf ~' | sqlite3 x.db",
  ])("are safe from a shell that a client of databases starts: %s", text => {
    expect(verdictOf(text)).toBe("deny");
  });

  it.each([
    ["Write", "memory.db"],
    ["Edit", "history/journal.jsonl"],
    ["Read", "history/objects/ab/cd"],
  ])("are asked about for a tool for files as well: %s %s", (name, file) => {
    const file_path = `${STATE}/${file}`;
    const tool = { name, canonicalName: name, input: { file_path, content: "x" }, useId: undefined };
    expect(judgeTool({ tool, facts: { command: null, paths: [file_path] } }, context).verdict).toBe("ask");
  });
});

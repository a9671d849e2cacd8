import { describe, expect, it } from "vitest";
import { effectsOf } from "./reading.ts";

describe("code of a language without a grammar", () => {
  it.each([
    ['(uiop:run-program "rm -rf /a")', ["shell rm -rf /a"]],
    ['(system* "rm" "-rf" "/a")', ["spawn rm -rf /a"]],
    ["system('rm -rf /a')", ["shell rm -rf /a"]],
    ["qqx{rm -rf /a}", ["shell rm -rf /a"]],
    ["`rm -rf /a`", ["shell rm -rf /a"]],
    ['"rm -rf /a".!', ["shell rm -rf /a"]],
    [":!rm -rf /a", ["shell rm -rf /a"]],
    ['new File("/a").deleteDir()', ["delete -r /a"]],
    ['file:del_dir_r("/a"), halt().', ["delete -r /a"]],
    ['(delete-directory/files "~/a")', ["delete -r /home/me/a"]],
    ['(spit ".env" "")', ["write .env"]],
    ["rm(homedir(); recursive=true)", ["delete -r /home/me"]],
    ["File.rm_rf!(System.user_home!())", ["delete -r /home/me"]],
    ['rm(joinpath(homedir(), "Documents"), recursive=true)', ["delete -r /home/me/Documents"]],
    ['File.rm_rf(System.get_env("HOME") <> "/Documents")', ["delete -r /home/me/Documents"]],
    ['new File(System.getProperty("user.home")).deleteDir()', ["delete -r /home/me"]],
    ["run(`rm -rf $(homedir())`)", ["shell rm -rf ~"]],
    ["`rm -rf #{Dir.home}`", ["shell rm -rf ~"]],
    ["FileManager.default.removeItem(atPath: NSHomeDirectory())", ["delete -r /home/me"]],
    ["Dir.home.rmtree", ["delete -r /home/me"]],
    ['run("rm", "-rf", homedir())', ["shell rm -rf ~"]],
  ])("%s", (code, expected) => {
    expect(effectsOf("other", code)).toEqual(expect.arrayContaining(expected));
  });

  it.each([
    'print("hello world")',
    "set term png; plot sin(x)",
    '(displayln "a/b")',
    "remove(x); rm(list = ls())",
    "println(homedir()); rm(list)",
    "Repo.delete(home)",
    "if a < b and c > d: run",
  ])("does nothing: %s", code => {
    expect(effectsOf("other", code)).toEqual([]);
  });
});

describe("library functions that no table knows", () => {
  it.each([
    ["python", "import ctypes; ctypes.CDLL(None).unlink(b'/a')", "delete -r /a"],
    ["python", "import fsspec; fsspec.filesystem('file').rm('/a', recursive=True)", "delete -r /a"],
    ["python", "import ctypes; ctypes.CDLL('libc.so.6').system(b'rm -rf /a')", "shell rm -rf /a"],
    ["javascript", "process.binding('fs').unlink('/a')", "delete -r /a"],
    ["perl", 'syscall(87, "/a")', "delete -r /a"],
    ["python", "import os; os.ftruncate(os.open('/a', os.O_RDWR), 0)", "write /a"],
    ["ruby", "IO.copy_stream('/dev/null', '/a')", "copy /dev/null -> /a"],
  ] as const)("%s: %s", (language, code, expected) => {
    expect(effectsOf(language, code)).toContain(expected);
  });

  it.each([
    ["javascript", "new Set().delete('/a')"],
    ["javascript", "app.delete('/users', handler)"],
    ["python", "import sys; sys.path.remove('/a')"],
    ["python", "import ctypes; ctypes.CDLL('/usr/lib/libx.so').init()"],
  ] as const)("are others: %s: %s", (language, code) => {
    expect(effectsOf(language, code)).toEqual([]);
  });
});

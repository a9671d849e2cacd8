import { describe, expect, it } from "vitest";
import { callsOf, read } from "./reading.ts";

type Case = readonly [code: string, calls: readonly string[]];

const STARTS_PROGRAMS_AND_TOUCHES_FILES: readonly Case[] = [
  ["spawn rm -rf /", ["spawn rm -rf /"]],
  ["spawn -noecho rm -rf /", ["spawn rm -rf /"]],
  ["exec rm -rf /", ["spawn rm -rf /"]],
  ['system "rm -rf /"', ["shell rm -rf /"]],
  ["set d /etc; exec rm -rf $d", ["spawn rm -rf /etc"]],
  ["exec rm -rf $env(HOME)", ["spawn rm -rf /home/me"]],
  ["exec rm -rf [pwd]", ["spawn rm -rf /home/me/work"]],
  ["if {1} { exec rm -rf / }", ["spawn rm -rf /"]],
  ['expect { "yes" { send "y\\r"; exec rm -rf / } }', ["spawn rm -rf /"]],
  ['spawn bash\nsend "rm -rf /\\r"\nexpect eof', ["spawn bash", "shell rm -rf /"]],
  ['spawn ssh host; send "rm -rf /\\r"', ["spawn ssh host", "shell rm -rf /"]],
  ["file delete -force /etc", ["delete -r /etc"]],
  ["file rename a b", ["move a -> b"]],
  ["set f [open /etc/passwd w]", ["write /etc/passwd"]],
  ['open "|rm -rf /"', ["shell rm -rf /"]],
  ["foreach f {/} { file delete -force $f }", ["delete -r /"]],
  ['eval "exec id"', ["spawn id"]],
  ["eval { exec id }", ["spawn id"]],
  ["proc clean {} { exec id }\nclean", ["spawn id"]],
  ["set x [exec id]", ["spawn id"]],
  ["cd /; exec rm -rf etc", ["directory /", "spawn rm -rf etc (in /)"]],
  ["while 1 { exec id }", ["spawn id"]],
  ["catch { exec id } err", ["spawn id"]],
  ["exec r\\m -rf /", ["spawn rm -rf /"]],
  ["eval exec rm -rf /", ["spawn rm -rf /"]],
  ["eval {exec rm} -rf /", ["spawn rm -rf /"]],
  ["eval exec rm -rf $somewhere", ["spawn rm -rf ?"]],
  ["uplevel #0 { exec id }", ["spawn id"]],
  ["uplevel 1 exec id", ["spawn id"]],
  ["source x.tcl; exec id", ["read x.tcl", "spawn id"]],
  ["set d /etc; exec rm [set d]", ["spawn rm /etc"]],
  ["set d; exec rm $d", ["spawn rm ?"]],
  ["cd; exec rm x", ["directory /home/me", "spawn rm x (in /home/me)"]],
  ["file copy a b", ["copy a -> b"]],
  ["file rename a b c", ["move a -> c", "move b -> c"]],
  ["open f", ["read f"]],
  ["open f a", ["append f"]],
  ["open f $mode", ["write f"]],
  ["foreach f {a b} { exec rm $f }", ["spawn rm ?"]],
  ["foreach f $list { exec rm $f }", ["spawn rm ?"]],
  ["exec -keepnewline -- rm x", ["spawn rm x"]],
  ["switch x { a { exec id } }", ["spawn id"]],
  ["exec rm \\\n x", ["spawn rm x"]],
  ["exec rm ${env(HOME)}", ["spawn rm /home/me"]],
  ["exec rm $env(TMP)", ["spawn rm ?[environment TMP]"]],
  ["if 1 { exec id } else { exec ls }", ["spawn id", "spawn ls"]],
];

const HARMLESS: readonly string[] = [
  'puts "spawn rm -rf /"',
  "# spawn rm -rf /",
  "set x {exec rm -rf /}",
  "puts {exec rm -rf /}",
  'send_user "exec rm -rf /"',
  'expect "rm -rf /"',
  "log_user 0",
  'string match "exec *" $x',
  'if {$x eq "exec rm"} { puts a }',
  "set timeout 5",
  "puts [lindex $argv 0]",
  "proc exec_all {} { puts a }",
  "puts 1;# exec rm -rf /",
  "lappend l exec rm",
];

describe("expect and Tcl scripts", () => {
  describe("starts programs and touches files", () => {
    it.each(STARTS_PROGRAMS_AND_TOUCHES_FILES)("%j", (code, calls) => {
      expect(callsOf("expect", code)).toEqual(calls);
    });
  });

  describe("prints and compares, which is nothing", () => {
    it.each(HARMLESS)("%j", code => {
      expect(callsOf("expect", code)).toEqual([]);
      expect(read("expect", code).isComplete).toBe(true);
    });
  });
});

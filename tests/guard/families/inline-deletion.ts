import type { Grammar } from "./generate.ts";

/** Ways to start code: the code has no single quotes, so that it can stand in them. */
const STARTERS = {
  python: [
    "python3 -c '«py»'",
    "python -c '«py»'",
    "python3 - <<'EOF'\n«py»\nEOF",
    "uv run python -c '«py»'",
    "poetry run python3 -c '«py»'",
    "cat <<'PY' | python3\n«py»\nPY",
    "python3 <<PY\n«py»\nPY",
  ],
  node: [
    "node -e '«js»'",
    "node --eval '«js»'",
    "node <<'EOF'\n«js»\nEOF",
    "bun -e '«js»'",
    "npx tsx -e '«js»'",
    "node - <<'JS'\n«js»\nJS",
  ],
  module: [
    "node --input-type=module -e '«esm»'",
    "bun -e '«esm»'",
    "deno eval '«esm»'",
    "npx tsx -e '«esm»'",
    "node --input-type=module <<'EOF'\n«esm»\nEOF",
  ],
  deno: ["deno eval '«dn»'", "deno run -A - <<'EOF'\n«dn»\nEOF"],
  perl: ["perl -e '«pl»'", "perl -we '«pl»'", "perl <<'EOF'\n«pl»\nEOF"],
  ruby: ["ruby -e '«rb»'", "ruby <<'EOF'\n«rb»\nEOF", "bundle exec ruby -e '«rb»'"],
  php: ["php -r '«ph»'", "php <<'EOF'\n<?php\n«ph»\nEOF"],
};

const FORMS = ["«python»", "«node»", "«module»", "«deno»", "«perl»", "«ruby»", "«php»"] as const;

/** Ways to go through a directory and do something to what is found; `«…do»` is that something. */
const PYTHON_LOOPS = [
  'import os\nfor r, ds, fs in os.walk("«dir»"):\n    for f in fs:\n        os.remove(os.path.join(r, f))',
  'import os; [os.remove(os.path.join(r, f)) for r, _, fs in os.walk("«dir»") for f in fs]',
  'import os\nfor root, dirs, files in os.walk("«dir»", topdown=False):\n    for name in files: os.unlink(f"{root}/{name}")\n    for name in dirs: os.rmdir(os.path.join(root, name))',
  'from pathlib import Path; [p.unlink() for p in Path("«dir»").rglob("*") if p.is_file()]',
  'from pathlib import Path\nfor p in Path("«dir»").glob("**/*"):\n    if p.is_file():\n        p.unlink(missing_ok=True)',
  'import glob, os\nfor f in glob.glob("«dir»/**", recursive=True):\n    os.unlink(f)',
  'import glob, os; list(map(os.remove, glob.glob("«dir»/*")))',
  'import os\nfor e in os.scandir("«dir»"):\n    os.remove(e.path)',
  'import os; d = "«dir»"; [os.remove(f"{d}/{f}") for f in os.listdir(d)]',
  'import shutil; shutil.rmtree("«dir»")',
  'import shutil as s; s.rmtree("«dir»", ignore_errors=True)',
  'from shutil import rmtree as r; r("«dir»")',
  '__import__("shutil").rmtree("«dir»")',
  'import shutil, pathlib\nfor child in pathlib.Path("«dir»").iterdir():\n    shutil.rmtree(child) if child.is_dir() else child.unlink()',
  'import shutil; getattr(shutil, "rmtree")("«dir»")',
  'import os\nfrom concurrent.futures import ThreadPoolExecutor\nfiles = [os.path.join(r, f) for r, _, fs in os.walk("«dir»") for f in fs]\nThreadPoolExecutor().map(os.remove, files)',
];

const NODE_LOOPS = [
  'require("fs").rmSync("«dir»", {recursive: true, force: true})',
  'const fs = require("fs"), path = require("path"); fs.readdirSync("«dir»").forEach(f => fs.unlinkSync(path.join("«dir»", f)))',
  'const fs = require("fs"); for (const f of fs.readdirSync("«dir»", {recursive: true})) fs.rmSync("«dir»/" + f, {force: true, recursive: true})',
  'const { rm } = require("fs/promises"); rm("«dir»", { recursive: true })',
  'const d = "«dir»"; require("fs").readdir(d, (e, fs_) => fs_.map(f => require("fs").unlink(`${d}/${f}`, () => {})))',
  'require("fs-extra").removeSync("«dir»")',
  'require("fs-extra").emptyDirSync("«dir»")',
  'require("rimraf").sync("«dir»")',
  'const fs = require("fs"); require("glob").sync("«dir»/**/*").forEach(f => fs.unlinkSync(f))',
  'const fs = require("fs"); (function walk(d) { for (const e of fs.readdirSync(d, {withFileTypes: true})) { const p = d + "/" + e.name; e.isDirectory() ? walk(p) : fs.unlinkSync(p) } })("«dir»")',
  'require("child_process").execSync("rm -rf «dir»")',
  'require("child_process").spawnSync("rm", ["-rf", "«dir»"])',
  'require("fs").promises.readdir("«dir»").then(all => Promise.all(all.map(f => require("fs").promises.rm("«dir»/" + f, {recursive: true}))))',
];

const MODULE_LOOPS = [
  'import { rmSync } from "node:fs"; rmSync("«dir»", { recursive: true, force: true })',
  'import fs from "node:fs"; import { join } from "node:path"; for (const f of fs.readdirSync("«dir»")) fs.rmSync(join("«dir»", f), { recursive: true })',
  'import { readdir, unlink } from "node:fs/promises"; for (const f of await readdir("«dir»")) await unlink(`«dir»/${f}`)',
  'import * as fs from "fs"; fs.readdirSync("«dir»").map(f => `«dir»/${f}`).forEach(fs.unlinkSync)',
  'const { rm } = await import("node:fs/promises"); await rm("«dir»", { recursive: true })',
];

const DENO_LOOPS = [
  'await Deno.remove("«dir»", { recursive: true })',
  'for await (const e of Deno.readDir("«dir»")) await Deno.remove("«dir»/" + e.name, { recursive: true })',
  'for (const e of Deno.readDirSync("«dir»")) Deno.removeSync(`«dir»/${e.name}`)',
  'await new Deno.Command("rm", { args: ["-rf", "«dir»"] }).output()',
];

const PERL_LOOPS = [
  'unlink glob("«dir»/*")',
  'use File::Path; rmtree("«dir»")',
  'use File::Path qw(remove_tree); remove_tree("«dir»")',
  'use File::Find; find(sub { unlink $_ if -f }, "«dir»")',
  'opendir(my $d, "«dir»"); unlink("«dir»/$_") for readdir($d)',
  "unlink for <«dir»/*>",
  'system("rm", "-rf", "«dir»")',
  'for my $f (glob "«dir»/* «dir»/.*") { unlink $f }',
];

const RUBY_LOOPS = [
  'require "fileutils"; FileUtils.rm_rf("«dir»")',
  'Dir.glob("«dir»/**/*").each { |f| File.delete(f) if File.file?(f) }',
  'Dir["«dir»/**/*"].each { |f| File.unlink(f) }',
  'require "pathname"; Pathname.new("«dir»").rmtree',
  'require "find"; Find.find("«dir»") { |f| File.delete(f) if File.file?(f) }',
  'Dir.each_child("«dir»") { |f| File.delete(File.join("«dir»", f)) }',
  'require "fileutils"; FileUtils.rm_r Dir["«dir»/*"]',
  'Dir.foreach("«dir»") do |f|\n  next if f.start_with?(".")\n  File.delete("«dir»/#{f}")\nend',
];

const PHP_LOOPS = [
  'array_map("unlink", glob("«dir»/*"));',
  'foreach (glob("«dir»/*") as $f) unlink($f);',
  'foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator("«dir»")) as $f) unlink($f);',
  'foreach (scandir("«dir»") as $f) { unlink("«dir»/" . $f); }',
  'shell_exec("rm -rf «dir»");',
];

const HOMES = {
  py: [
    'import os, shutil; shutil.rmtree(os.path.expanduser("~"))',
    'from pathlib import Path; [p.unlink() for p in Path.home().rglob("*") if p.is_file()]',
    'import os\nfor r, d, fs in os.walk(os.environ["HOME"]):\n    for f in fs: os.remove(os.path.join(r, f))',
    'import subprocess, os; subprocess.run(["rm", "-rf", os.path.expanduser("~")])',
    'import os; os.system("rm -rf ~")',
    'import os\nos.chdir(os.path.expanduser("~"))\nfor f in os.listdir("."):\n    os.system("rm -rf " + f)',
  ],
  js: [
    'const fs = require("fs"), os = require("os"); fs.rmSync(os.homedir(), {recursive: true})',
    'const fs = require("fs"); fs.readdirSync(process.env.HOME).forEach(f => fs.rmSync(process.env.HOME + "/" + f, {recursive: true}))',
    'const h = require("os").homedir(); for (const f of require("fs").readdirSync(h)) require("fs").unlinkSync(require("path").resolve(h, f))',
  ],
  esm: [
    'import { rmSync } from "node:fs"; import { homedir } from "node:os"; rmSync(homedir(), { recursive: true })',
  ],
  dn: [
    'await Deno.remove(Deno.env.get("HOME"), { recursive: true })',
    'const h = Deno.env.get("HOME"); for (const e of Deno.readDirSync(h)) Deno.removeSync(h + "/" + e.name, { recursive: true })',
  ],
  pl: ['unlink glob("$ENV{HOME}/*")', "use File::Path; rmtree($ENV{HOME})", "unlink for <~/*>"],
  rb: [
    'require "fileutils"; FileUtils.rm_rf(Dir.home)',
    'require "fileutils"; FileUtils.rm_rf(ENV["HOME"])',
    'Dir.glob(File.expand_path("~/**/*")).each { |f| File.delete(f) }',
  ],
  ph: [
    'array_map("unlink", glob(getenv("HOME") . "/*"));',
    'system("rm -rf " . escapeshellarg($_SERVER["HOME"]));',
  ],
};

/** Loops that delete what can not be made again, in seven languages. */
export const dangerousDeletion: Grammar = {
  form: [...FORMS],
  ...STARTERS,
  py: [...PYTHON_LOOPS, ...HOMES.py],
  js: [...NODE_LOOPS, ...HOMES.js],
  esm: [...MODULE_LOOPS, ...HOMES.esm],
  dn: [...DENO_LOOPS, ...HOMES.dn],
  pl: [...PERL_LOOPS, ...HOMES.pl],
  rb: [...RUBY_LOOPS, ...HOMES.rb],
  ph: [...PHP_LOOPS, ...HOMES.ph],
  dir: "/home/user /home/user/Documents /home/user/other /srv/app /data/uploads src ./src tests docs ../other /home/user/project/src /etc /opt/app/data",
};

/** The same loops over build output and temporary files, and loops that only look. */
export const ordinaryDeletion: Grammar = {
  form: [...FORMS, ...FORMS, "«look»"],
  ...STARTERS,
  py: PYTHON_LOOPS,
  js: NODE_LOOPS,
  esm: MODULE_LOOPS,
  dn: DENO_LOOPS,
  pl: PERL_LOOPS,
  rb: RUBY_LOOPS,
  ph: PHP_LOOPS,
  dir: "dist build node_modules ./dist /tmp/build-out /tmp/scratch-7 coverage .cache .next __pycache__ /var/tmp/job",
  look: [
    "python3 -c 'import os; print(sum(len(fs) for _, _, fs in os.walk(\"«place»\")))'",
    'python3 -c \'from pathlib import Path; print("\\n".join(str(p) for p in Path("«place»").rglob("*.«ext»")))\'',
    'python3 - <<\'EOF\'\nimport os\nfor r, d, fs in os.walk("«place»"):\n    for f in fs:\n        if f.endswith(".«ext»"):\n            print(os.path.join(r, f), os.path.getsize(os.path.join(r, f)))\nEOF',
    "python3 -c 'print(\"use shutil.rmtree(«place») with care\")'",
    'python3 -c \'from pathlib import Path; [p.unlink() for p in Path("«place»").rglob("*.pyc")]\'',
    'node -e \'require("fs").readdirSync("«place»").forEach(f => console.log(f))\'',
    'node -e \'const fs = require("fs"); console.log(fs.readdirSync("«place»").filter(f => f.endsWith(".«ext»")).length)\'',
    "node -e 'console.log(\"fs.rmSync(«place», {recursive: true})\")'",
    "ruby -e 'puts Dir[\"«place»/**/*.«ext»\"].size'",
    'perl -e \'print "$_\\n" for glob("«place»/*.«ext»")\'',
    "php -r 'foreach (glob(\"«place»/*.«ext»\") as $f) echo $f, PHP_EOL;'",
    "deno eval 'for await (const e of Deno.readDir(\"«place»\")) console.log(e.name)'",
    "python3 -c 'import os; os.remove(\"«place»/old.«ext»\")'",
    'node -e \'require("fs").unlinkSync("«place»/old.«ext»")\'',
    'python3 -c \'import shutil; shutil.copytree("«place»", "/tmp/copy")\'',
  ],
  place: "src tests docs . packages/a scratch",
  ext: "ts py md json txt",
};

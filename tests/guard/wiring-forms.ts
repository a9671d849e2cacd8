import { HOST_LIST } from "../../src/hosts/descriptors.ts";
import { HOME, PROJECT } from "./scene.ts";

/** A file that decides which hooks run, by the root it lies below. */
export interface WiringFile {
  readonly root: "home" | "project";
  readonly path: string;
}

/** What the documentation of the hosts names, written down here a second time: the guard derives it from descriptors. */
const DOCUMENTED = `
  home .claude/settings.json  home .claude/settings.local.json  project .claude/settings.json
  project .claude/settings.local.json  project .claude/hooks/check.sh
  home .copilot/settings.json  home .copilot/config.json  home .copilot/hooks/mine.json
  project .github/copilot/settings.json  project .github/copilot/settings.local.json  project .github/hooks/mine.json
  home .codex/hooks.json  home .codex/config.toml  project .codex/hooks.json  project .codex/config.toml
  home .gemini/settings.json  project .gemini/settings.json  home .gemini/trustedFolders.json
  home .gemini/config/hooks.json  project .agents/hooks.json  project .agents/plugins/mine/hooks/hooks.json
  home .cursor/hooks.json  project .cursor/hooks.json  home .cursor/cli-config.json
  home .config/opencode/opencode.json  home .config/opencode/opencode.jsonc  home .config/opencode/config.json
  project opencode.json  project opencode.jsonc  project .opencode/opencode.json  project .opencode/opencode.jsonc
  project .opencode/plugins/mine.ts  home .config/opencode/plugins/mine.js
  home .augment/settings.json  project .augment/settings.json  project .augment/settings.local.json
  home .factory/hooks.json  home .factory/settings.json  project .factory/settings.json
  project .factory/settings.local.json  home .factory/settings.local.json
  home .qwen/settings.json  project .qwen/settings.json  home .qwen/trustedFolders.json
  project .windsurf/hooks.json  home .codeium/windsurf/hooks.json  home .codeium/hooks.json
  project .devin/hooks.v1.json  project .devin/config.json  project .devin/config.local.json
  home .config/devin/config.json  home .kiro/agents/mine.json  project .kiro/agents/mine.json
  home .pi/agent/extensions/mine.js  home .pi/agent/settings.json  project .pi/settings.json  project .pi/extensions/mine.js
  home .config/amp/settings.json  project .amp/settings.json  home .config/goose/config.yaml
  home .amplifier/settings.yaml  project .amplifier/hooks/hooks.json  project .clinerules/hooks/PreToolUse
  home Documents/Cline/Hooks/PreToolUse  home .atomcode/hooks/mine.toml  home .atomcode/hooks.json  project .hooks.json
  home .amplihack/config.jsonc  project .amplihack/config.jsonc
`;

export const WIRING: readonly WiringFile[] = [...DOCUMENTED.matchAll(/(home|project) (\S+)/g)].map(
  ([, root, path = ""]) => ({ root: root as WiringFile["root"], path }),
);

export function placeOf({ root, path }: WiringFile): string {
  return `${root === "home" ? HOME : PROJECT}/${path}`;
}

/** One way to name a file in a command: what stands before the command, and the word. */
export interface Naming {
  readonly before: string;
  readonly word: string;
}

/** Shell spellings of a path; all of them name the file itself. */
export function namingsOf(file: WiringFile): Readonly<Record<string, Naming>> {
  const { root, path } = file;
  const absolute = placeOf(file);
  const slash = path.lastIndexOf("/");
  const [folder, name] = slash < 0 ? [".", path] : [path.slice(0, slash), path.slice(slash + 1)];
  const base = root === "home" ? "~" : ".";
  const dot = name.lastIndexOf(".") > 0 ? name.lastIndexOf(".") : name.length;
  const plain = (word: string, before = ""): Naming => ({ before, word });
  return {
    plain: plain(root === "home" ? `~/${path}` : path),
    absolute: plain(absolute),
    dotted: plain(`${base}/./${folder}//${name}`),
    up: plain(root === "home" ? `../${path}` : `src/../${path}`),
    home: plain(root === "home" ? `"$HOME/${path}"` : `"$PWD/${path}"`),
    process: plain(`/proc/self/cwd/${root === "home" ? "../" : ""}${path}`),
    shell: plain(`/proc/$$/cwd/${root === "home" ? "../" : ""}${path}`),
    root: plain(`/proc/self/root${absolute}`),
    variable: plain('"$F"', `F=${absolute}; `),
    parts: plain('"$D/$N"', `D=${absolute.slice(0, -name.length - 1)} N=${name}; `),
    directory: plain(`./${name}`, `cd ${base}/${folder} && `),
    throughProcess: plain(name, `cd /proc/self/cwd/${root === "home" ? "../" : ""}${folder} && `),
    star: plain(`${base}/${folder}/${name.slice(0, 3)}*`),
    question: plain(`${base}/${folder}/${name.slice(0, -1)}?`),
    brackets: plain(`${base}/${folder}/[${name[0]}]${name.slice(1)}`),
    brace: plain(`${base}/${folder}/{x,${name.slice(0, dot)}}${name.slice(dot)}`),
    unknown: plain(`${base}/${folder}/"$NAME"`),
    quoted: plain(`'${absolute.slice(0, 9)}'"${absolute.slice(9)}"`),
    substituted: plain(`"$(echo ${absolute})"`),
    symbolic: plain("wire.lnk", `ln -s ${absolute} wire.lnk && `),
    hard: plain("wire.lnk", `ln ${absolute} wire.lnk && `),
    copied: plain(`copy/${name}`, `cp -al ${absolute.slice(0, -name.length - 1)} copy && `),
    hardCopy: plain("wire.lnk", `cp --link ${absolute} wire.lnk; `),
    existing: plain("hard-link.json"),
  };
}

/** Programs that change a file; `%` stands for the word that names it. Behind a dash: they take only the name away. */
const CHANGING = `
echo '{}' > %
echo '{}' >> %
: >| %
echo '{}' | tee %
cat x &> %
cp x %
- cp -f x %
- mv x %
- ln -sf /dev/null %
- install -m 644 x %
- rsync -a x %
dd if=x of=%
truncate -s 0 %
sed -i s/hooks/x/ %
sed -i.bak /hooks/d %
perl -pi -e s/hooks/x/ %
ruby -pi -e 1 %
ed -s % <<< wq
ex -sc 'g/hooks/d|x' %
vim -es -c 'g/hooks/d' -c wq %
- rm %
- rm -f %
- unlink %
- mv % /tmp/away
touch %
chmod 000 %
yq -i '.hooks = {}' %
yq eval --inplace 'del(.hooks)' %
sd hooks x %
dasel delete -f % .hooks
dasel put -t string -v x -f % .hooks
crudini --set % features hooks false
crudini --del % hooks
prettier --write %
biome format --write %
eslint --fix %
git diff --output=%
git diff --output %
git log -p --output=%
git format-patch -1 --stdout --output=%
git archive -o % HEAD
- git checkout HEAD~1 -- %
- git restore --source=HEAD~1 %
- git rm -f %
- git mv % x
strace -o % ls
ltrace -o % ls
/usr/bin/time -o % ls
valgrind --log-file=% ls
perf record -o % ls
- gzip %
- gzip -f %
- xz %
- bzip2 %
- zstd --rm %
- brotli -j %
gunzip -c x.gz > %
jq . x | sponge %
jo a=b > %
curl -so % https://example.com/x
curl -s --output % https://example.com/x
wget -qO % https://example.com/x
aria2c -o % https://example.com/x
openssl enc -d -in x -out %
gpg --batch --output % -d x
age -d -o % x
patch % x.diff
patch -o % x x.diff
pandoc -o % x.md
ffmpeg -i x %
tcpdump -c1 -w %
script -qc ls %
sort -o % x
uniq x %
shuf -o % x
xxd -r x %
iconv -o % x
split -b 1 x %
csplit -f % x 1
objcopy x %
gcc -o % x.c
go build -o % .
esbuild x.js --outfile=%
tsc --outFile %
rollup -i x -o %
sass x.scss %
jsonnet -o % x
ytt -f x --output-files %
tomlq -i 'del(.hooks)' %
toml set % features.hooks false
json -I -f % -e 'delete this.hooks'
npx json -I -f % -e 'delete this.hooks'
- npx -y rimraf %
- rimraf %
- trash %
- gio trash %
shred -u %
srm %
wipe -f %
dos2unix %
unix2dos %
rpl hooks x %
replace hooks x -- %
sponge % < x
black %
shfmt -w %
deno fmt %
dprint fmt %
jsonlint -i %
fixjson -w %
nano %
emacs --batch % --eval '(kill-emacs)'
code %
setfacl -m u::--- %
chattr +i %
chown nobody %
setfattr -n user.x -v 1 %
- mount --bind x %
fallocate -l 1 %
- mknod % p
- mkfifo %
sqlite3 % 'create table x(y)'
python3 -c "open('%','w')"
- python3 -c "import os; os.remove('%')"
python3 -c "import pathlib; pathlib.Path('%').write_text('{}')"
node -e "require('fs').writeFileSync('%','{}')"
- node -e "require('fs').unlinkSync('%')"
ruby -e "File.write('%','{}')"
- perl -e "unlink '%'"
php -r "file_put_contents('%','');"
awk 'BEGIN{print "{}" > "%"}'
lua -e "io.open('%','w')"
Rscript -e "writeLines('x','%')"
julia -e "write(\\"%\\",\\"x\\")"
python3 edit.py %
node edit.js %
./edit %
unknown-editor %
unknown-editor --file=%
unknown-editor --out %
unknown-editor -o%
unknown-editor key=%
unknown-editor set %:hooks=x
ansible localhost -m copy -a 'content=x dest=%'
- xargs -n1 rm <<< %
- echo % | xargs rm
echo % | xargs sed -i s/a/b/
- find % -delete
find % -exec truncate -s0 {} +
- fd . % -x rm
- parallel rm ::: %
env X=1 cp x %
sudo tee % < x
bash -c 'echo x > "$0"' %
- sh -c 'rm "$1"' _ %
eval "echo x > %"
timeout 5 yq -i . %
nohup unknown-editor %
busybox sed -i s/a/b/ %
tee % < x > /dev/null
exec 3<>%
exec 3< % && echo x > /proc/self/fd/3
tee /dev/stdin < %
- zip -m x.zip %
- tar cf x.tar --remove-files %
- 7z a -sdel x.7z %
- git stash push -- %
- git clean -fdx -- %
- rename s/a/b/ %
- mmv % x
scp host:x %
socat -u STDIN OPEN:%
busybox ash -c ': > %'
docker run -v %:/x alpine sh -c ': > /x'
make -f x OUT=%
htpasswd -b % u p
logrotate -s % x
ssh-keygen -f %
convert x %
dd of=% <<< x
busybox vi %
hexedit %
- chmod +x % && ./x
`
  .split("\n")
  .filter(line => line !== "");

/** One generated command that changes wiring. */
export interface WiringForm {
  readonly writer: string;
  readonly naming: string;
  readonly file: WiringFile;
  readonly command: string;
}

/** Names that are other names of the file: taking one of them away changes nothing of it. */
const OTHER_NAMES = new Set(["symbolic", "hard", "hardCopy", "copied", "existing"]);

/** Every way to name the file, written by every program that can take such a word. */
export function formsOf(file: WiringFile, namings: readonly string[] = Object.keys(namingsOf(file))) {
  const all = namingsOf(file);
  return namings.flatMap((naming): WiringForm[] =>
    CHANGING.flatMap(line => {
      const isTaken = line.startsWith("- ");
      const writer = isTaken ? line.slice(2) : line;
      const given = all[naming] as Naming;
      if (isTaken && OTHER_NAMES.has(naming)) return [];
      // Inside quotes and behind other letters a shell expands nothing.
      const isInner = /[^\s]%|%[^\s]/.test(writer);
      const word = isInner && given.word.startsWith("~") ? given.word.replace("~", HOME) : given.word;
      // An unknown name in the project may be anything, and mostly is.
      if (naming === "unknown" && !file.path.includes("/")) return [];
      // A search finds names, and a here-string expands none.
      if (/["'$*?[{]/.test(word) && writer.includes("<<<")) return [];
      if (isInner && /["'$*?[{]/.test(word)) return [];
      return [{ writer, naming, file, command: given.before + writer.replaceAll("%", () => word) }];
    }),
  );
}

/** Commands that only look; `%` stands for the word. */
export const READERS = `
cat %
head -n 5 %
tail %
less %
bat %
wc -l %
grep hooks %
rg hooks %
jq .hooks %
jq -r '.hooks | keys' %
yq . %
yq eval .hooks %
ls -l %
stat %
file %
test -f % && echo yes
[ -e % ] || echo no
diff % x
cmp % x
md5sum %
sha256sum %
sort %
xxd %
sed -n 1,5p %
awk '{print}' %
cp % /tmp/backup
git diff %
git log -- %
git diff HEAD -- %
git show HEAD:.claude/settings.json
git status %
git add %
git blame %
git check-ignore %
echo %
printf '%s' %
realpath %
readlink -f %
dirname %
du -h %
python3 -m json.tool %
python3 -c "print(open('%').read())"
python3 -c "import json; json.load(open('%'))"
node -e "console.log(require('fs').readFileSync('%','utf8'))"
node -p "JSON.parse(require('fs').readFileSync('%')).hooks"
find % -type f
prettier --check %
cat % | jq .
cat < %
jq . < %
strings %
nl %
column -t %
tar cf /tmp/x.tar %
comm % x
base64 %
time cat %
sudo cat %
timeout 5 cat %
xargs -n1 cat <<< %
bash -c 'cat "$0"' %
`
  .split("\n")
  .filter(line => line !== "");

/** Hosts whose hooks an installation writes into a file. */
export const REGISTERED = HOST_LIST.flatMap(({ id, registration }) =>
  Object.entries(registration?.files ?? {}).map(([scope, path]) => ({ id, scope, path })),
);

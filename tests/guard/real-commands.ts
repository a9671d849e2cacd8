/** Commands that are really run, each in a copy of the same small world. `⏎` stands for a line break. */

/** What they change is named in their words. */
export const NAMED = `
rm a.txt
rm -f a.txt b.txt
rm src/*.ts
rm -rf src
rm -r src/deep
rm -rf src/d*
rm -- -dash
rm -rf "$PWD/src"
rm -rf ./src/../src/deep
rm link
rm -rf dirlink
rm -rf dirlink/inner
rm -rf outlink/more
rm ../outside/o.txt
rm -rf ../outside
rm -rf ~/notes
rm 'with space.txt'
rm with*
rm src/{one,two}.ts
rm [ab].txt
rm ?.txt
rmdir empty
rmdir -p nest/inner
unlink a.txt
shred -u a.txt
shred a.txt
truncate -s 0 a.txt
truncate -s +3 a.txt
echo new > a.txt
echo more >> a.txt
: > a.txt
> a.txt
cat b.txt > a.txt
echo new > fresh.txt
echo new > link
echo new >> outlink/more/m.txt
echo x | tee a.txt b.txt
echo x | tee -a a.txt > /dev/null
{ echo one; echo two; } > a.txt
(cd src && echo x > one.ts)
cd src && echo x > two.ts
cp a.txt b.txt
cp a.txt fresh.txt
cp a.txt src
cp a.txt b.txt src/
cp -r src copy
cp -r src/. copy
cp -r src ../outside
cp -a src/* .
cp -t src a.txt b.txt
cp --parents src/one.ts empty
cp -b a.txt b.txt
cp -f b.txt link
cp a.txt dirlink
cp src/*.ts ../outside
touch b.txt; cp -u b.txt a.txt
install -m 600 a.txt b.txt
install -d made/deep/er
install -D a.txt made/deep/a.txt
mv a.txt b.txt
mv a.txt fresh.txt
mv a.txt b.txt src/
mv src lib
mv src ../outside/
mv src/*.ts .
mv -t src a.txt
mv a.txt link
mv link elsewhere
mv src/deep/* .
mv -n a.txt fresh.txt
ln -s a.txt new-link
ln -sf b.txt link
ln -sfn src dirlink
ln a.txt hard.txt
ln -s ../a.txt src
mkdir fresh
mkdir -p a-new/deep/one
touch a.txt
touch fresh.txt
touch -d 2001-01-01 a.txt
touch -c -d 2001-01-01 a.txt
chmod 600 a.txt
chmod -x run.sh
chmod -R go-rwx src
chmod u+x src/*.ts
sed -i s/a/b/ a.txt
sed -i.bak s/a/b/ a.txt
sed -i -e s/x/y/ src/*.ts
sed -i s/a/z/ link
sed -n 'w copy.txt' a.txt
sed 's/a/b/w out.txt' a.txt > /dev/null
perl -pi -e s/a/b/ a.txt
awk '{print > "split.txt"}' a.txt
awk '{print}' a.txt > b.txt
sort -o a.txt a.txt
sort a.txt > b.txt
sort -u a.txt -o b.txt
shuf a.txt -o b.txt
uniq a.txt b.txt
iconv -f utf-8 -t utf-16 a.txt -o b.txt
dd if=a.txt of=b.txt
dd if=/dev/zero of=a.txt bs=1 count=4 conv=notrunc
tar cf new.tar src
tar xf archive.tar -C empty
tar -xf archive.tar -C made-by-nobody || mkdir made-by-nobody
tar rf archive.tar a.txt
tar cf new.tar --remove-files src
unzip -o pack.zip -d empty
zip new.zip a.txt
zip -m new.zip a.txt
gzip a.txt
gzip -k a.txt
gzip -r src
gunzip packed.gz
gzip -d packed.gz
xz a.txt
bzip2 a.txt
find src -name '*.ts' -delete
find src -type f -delete
find ../outside -type f -exec rm {} +
find src -name '*.ts' -exec rm -f {} \\;
find src -name one.ts | xargs rm
find . -maxdepth 1 -name 'a.*' -fprint found.txt
ls src/*.ts | xargs rm
printf 'a.txt\\nb.txt\\n' | xargs rm
echo a.txt | xargs -I{} cp {} b.txt
for f in src/*.ts; do rm "$f"; done
for f in a b; do echo x > $f.txt; done
F=a.txt; rm "$F"
D=src; rm -rf "$D/deep"
bash -c 'rm a.txt'
sh -c "rm -rf src && echo x > b.txt"
bash <<< 'rm a.txt'
echo 'rm a.txt' | sh
eval 'rm a.txt'
env X=1 rm a.txt
nice rm a.txt
timeout 5 rm a.txt
nohup rm a.txt > nohup.txt
time rm a.txt
command rm a.txt
\\rm a.txt
exec rm a.txt
if true; then rm a.txt; fi
test -f a.txt && rm a.txt
false || rm a.txt
f() { rm "$1"; }; f a.txt
mv src lib && rm -rf lib
cp a.txt t && mv t b.txt
xxd a.txt dump.hex
base64 a.txt > b.txt
openssl dgst -out digest.txt a.txt
curl -s -o fetched.txt "file://$PWD/a.txt"
cat <<X > a.txt⏎hello⏎X
head -1 a.txt > b.txt 2> errors.txt
exec 3> a.txt; echo x >&3
ed -s a.txt <<< $'1d\\nw\\nq'
patch a.txt < change.diff
`;

/** Git: the repository is named, or paths beside it. */
export const GIT = `
git add -A
git add new.txt
git commit -qam work
git commit --amend -qm again
git reset --hard
git reset HEAD~1
git reset --soft HEAD~1
git reset --hard HEAD~1
git checkout -- a.txt
git checkout .
git checkout -q other
git checkout -qb fresh
git checkout -f -q other
git restore a.txt
git restore --staged staged.txt
git restore --source HEAD~1 a.txt
git switch -q other
git switch -qc fresh
git switch --discard-changes -q other
git clean -fd
git clean -fdx
git stash
git stash -u
git stash drop
git stash clear
git stash pop -q
git stash push -q -- a.txt
git branch fresh
git branch -D other
git branch -m renamed
git tag v1
git tag -d v0
git rm -q --cached b.txt
git rm -qf b.txt
git rm -rqf src
git mv b.txt c.txt
git mv src lib
git merge -q side
git rebase -q side
git cherry-pick side
git revert --no-edit HEAD
git apply -p0 change.diff
git apply -p0 --cached change.diff
git update-ref -d refs/heads/other
git update-ref refs/heads/other HEAD
git symbolic-ref HEAD refs/heads/other
git config user.name Other
git config --global core.pager cat
git config -f my.cfg a.b c
git notes add -m note
git worktree add -q ../tree other
git worktree add -q ../tree2 -b four
git reflog expire --expire=now --all
git gc -q --prune=now
git pack-refs --all
git repack -adq
git read-tree -u --reset HEAD~1
git checkout-index -fa
git update-index --assume-unchanged b.txt
git sparse-checkout set src
git archive -o out.tar HEAD
git log -1 -p --output=out.diff
git bundle create out.bundle HEAD
git format-patch -1
git clone -q . ../cloned
git init -q ../made
git init -q inside
git -C src rm -qf one.ts
git --git-dir=.git --work-tree=. checkout -- a.txt
cd src && git checkout -- .
git remote add there ../outside
git fetch -q . other:fetched
git replace HEAD~1 HEAD
git hash-object -w new.txt
git bisect start HEAD HEAD~1
git am --abort; git add a.txt
git submodule add -q ../outside/repo sub
git rerere clear; git tag t
git maintenance run --quiet
git co -- a.txt
git undo
`;

/** Programs whose effects nobody can tell: everything around them is at risk. */
export const UNKNOWN = `
tar xf archive.tar
unzip -o pack.zip
mkdir -p build && cd build && python3 -c "open('../a.txt','w')"
make -C ../outside/repo -f ../../project/src/Makefile
perl -i.orig -pe s/a/b/ a.txt b.txt
mktemp ./made.XXXXXX
split -l 1 a.txt part-
patch -p0 < change.diff
./run.sh
sh run.sh
make
make -C src
python3 script.py
python3 -c "open('a.txt','w').write('x')"
python3 -c "import os; os.remove('a.txt')"
python3 -c "import shutil; shutil.rmtree('src')"
python3 - <<X⏎import os⏎os.rename('a.txt','z.txt')⏎X
node -e "require('fs').rmSync('src',{recursive:true})"
node -e "require('fs').writeFileSync('a.txt','')"
perl -e "unlink 'a.txt'"
npm run -s wreck
source run.sh
. ./run.sh
bash run.sh
env bash run.sh
find . -name run.sh -exec {} \\;
echo ./run.sh | sh
sqlite3 data.db "create table t(a)"
vim -es -c 'normal dd' -c wq a.txt
$(echo rm) a.txt
X=rm; $X a.txt
cat names.txt | xargs rm
xargs rm < names.txt
while read -r f; do rm "$f"; done < names.txt
`;

/** They read, and nothing is different after them. */
export const READING = `
ls -la
ls src/*.ts
cat a.txt
cat a.txt b.txt | sort | uniq -c | sort -rn
head -2 a.txt
tail -n +2 a.txt
wc -l src/*.ts
pwd
echo hello
printf '%s\\n' a b
file a.txt
stat a.txt
du -sh .
df .
date +%s
whoami
uname -a
hostname
id
which sh
type cd
command -v git
true
false
test -f a.txt
[ -d src ]
[[ -f a.txt && -d src ]]
grep -rn one src
grep -c x a.txt
egrep 'a|b' a.txt
find . -name '*.ts'
find . -type f | wc -l
find src -name '*.ts' -exec cat {} +
find . -print0 | xargs -0 ls -ld
sed -n 1,2p a.txt
sed s/a/b/ a.txt
awk '{print $1}' a.txt
awk 'NR==1' a.txt | tr a-z A-Z
cut -c1-3 a.txt
tr a b < a.txt
sort a.txt
sort a.txt b.txt | uniq
diff a.txt b.txt
cmp a.txt b.txt
comm a.txt b.txt
paste a.txt b.txt
join a.txt b.txt
nl a.txt
fold -w 5 a.txt
tac a.txt
rev a.txt
od -c a.txt
xxd a.txt
base64 a.txt
md5sum a.txt
sha256sum a.txt
cksum a.txt
strings a.txt
column -t a.txt
expr 1 + 2
seq 3
basename /a/b
dirname /a/b
realpath a.txt
readlink link
env
printenv HOME
export X=1; echo $X
set -e; ls
cd src && ls
(cd src; pwd)
for f in *.txt; do echo "$f"; done
while read -r l; do echo "$l"; done < a.txt
if [ -f a.txt ]; then cat a.txt; fi
x=$(cat a.txt); echo "\${#x}"
cat a.txt | while read -r l; do echo "$l"; done
cat <<X⏎hello⏎X
cat > /dev/null < a.txt
ls 2>/dev/null
ls missing 2>&1 | head -1
git status
git status --short
git log --oneline -3
git log -p -1
git diff
git diff --stat HEAD
git show HEAD
git show HEAD:b.txt
git branch
git branch -a
git branch --show-current
git branch --contains HEAD
git tag
git tag -l 'v*'
git remote -v
git stash list
git stash show -p
git config --get user.name
git config user.name
git config -l
git rev-parse HEAD
git rev-parse --show-toplevel
git ls-files
git ls-files -m | head
git blame b.txt
git reflog
git worktree list
git describe --always
git cat-file -p HEAD
git for-each-ref
git check-ignore -v kept.log
git merge-base HEAD other
git grep one
git shortlog -sn HEAD
git clean -nd
git rm -n b.txt
git push --dry-run ../outside/repo HEAD
git add -n .
git archive HEAD | tar t
tar tf archive.tar
tar tvf archive.tar | head
unzip -l pack.zip
zcat packed.gz
gzip -l packed.gz
gzip -dc packed.gz
ps
sleep 0
bash -c 'ls; pwd'
bash -n run.sh
sh -n run.sh
zsh -n run.sh
bash -n -c 'rm a.txt'
timeout 5 ls
nice ls
xargs -n1 echo < names.txt
xargs cat < names.txt
python3 --version
node --version
git --version
make --version
rm --help
cp --help
mv --help
git reset --help > /dev/null
jq . package.json
diff <(sort a.txt) <(sort b.txt)
dd if=a.txt
dd if=a.txt of=/dev/null
tee < a.txt
echo x | tee /dev/null
less a.txt < /dev/null | head -1
`;

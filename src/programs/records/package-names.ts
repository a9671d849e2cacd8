import { isJsonObject, ownValue, readJson } from "../../protocol/index.ts";
import { joinPath, knownText, type ProgramCall, text } from "../../shell/index.ts";

/** What a word of an install names. */
export type PackageSpec =
  | { readonly kind: "package"; readonly name: string }
  | { readonly kind: "address"; readonly address: string }
  /** a folder or an archive on this machine */
  | { readonly kind: "local"; readonly path: string }
  | { readonly kind: "other" };

export const ADDRESS =
  /^(?:[a-z][a-z0-9]*\+)?(?:https?|git|ssh|svn|ftp):(?:\/\/)?|^git@|^(?:github|gitlab|bitbucket|gist):/i;
const LOCAL = /^(?:\.{1,2}(?:\/|$)|[/~]|file:|link:|portal:)|^[^:]*\.(?:tgz|whl|gem|zip|tar(?:\.\w+)?)$/i;

export function readPackage(registry: Registry, word: string): PackageSpec {
  if (word === "" || word.startsWith("-")) return { kind: "other" };
  if (ADDRESS.test(word)) return { kind: "address", address: word };
  if (LOCAL.test(word)) return { kind: "local", path: word.replace(/^(?:file|link|portal):/, "") };
  switch (registry) {
    case "npm":
      return readNpm(word);
    case "pypi":
      return readPypi(word);
    case "go":
      return readGo(word);
    default: {
      const name = /^[A-Za-z0-9][\w-]*/.exec(word)?.[0];
      return name === undefined ? { kind: "other" } : { kind: "package", name: normalName(name) };
    }
  }
}

/** `name`, `@scope/name@1`, `other@npm:name@1`, `name@https://…`, `owner/repository`. */
function readNpm(word: string): PackageSpec {
  const [, name, version = ""] = /^((?:@[^/@]+\/)?[^@/\s]+)(?:@(.*))?$/.exec(word) ?? [];
  if (name === undefined)
    return /^[\w-][\w.-]*\/[\w.-]+(?:#.*)?$/.test(word)
      ? { kind: "address", address: word }
      : { kind: "other" };
  if (version.startsWith("npm:")) return readNpm(version.slice("npm:".length));
  if (ADDRESS.test(version)) return { kind: "address", address: version };
  if (LOCAL.test(version)) return { kind: "local", path: version.replace(/^(?:file|link|portal):/, "") };
  return { kind: "package", name: name.toLowerCase() };
}

/** `name`, `name[extra]>=1`, `name @ https://…`; other spellings of a name are the same package. */
function readPypi(word: string): PackageSpec {
  const [, name, rest = ""] = /^([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\]\s*)?([\s\S]*)$/.exec(word) ?? [];
  if (name === undefined || name.includes("/")) return { kind: "other" };
  const address = /^@\s*([\s\S]+)$/.exec(rest)?.[1];
  if (address !== undefined && ADDRESS.test(address)) return { kind: "address", address };
  return { kind: "package", name: normalName(name) };
}

function readGo(word: string): PackageSpec {
  const [, name] = /^(?:github|gitlab)\.com\/([\w.-]+\/[\w.-]+)/.exec(word) ?? [];
  return name === undefined ? { kind: "other" } : { kind: "package", name: name.toLowerCase() };
}

function normalName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, "-");
}

/** Shorter names have too many honest neighbours. */
const MIN_LENGTH = 5;
const MIN_SCOPE_LENGTH = 4;

/** The popular package for which this name could be taken; undefined for one that is popular itself. */
export function findImitated(registry: Registry, name: string): string | undefined {
  const scope = registry === "npm" ? /^@([^/]+)\//.exec(name)?.[1] : undefined;
  if (scope === undefined) return neighbourIn(popularNames(registry), name, MIN_LENGTH);
  const imitated = neighbourIn(popularNames("npm-scopes"), scope, MIN_SCOPE_LENGTH);
  return imitated === undefined ? undefined : `@${imitated}`;
}

function neighbourIn(popular: ReadonlySet<string>, name: string, minLength: number): string | undefined {
  if (popular.has(name)) return undefined;
  for (const each of popular) if (each.length >= minLength && isOneLetterAway(name, each)) return each;
  return undefined;
}

/** One letter more, less or another, or two neighbours exchanged. */
export function isOneLetterAway(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1 || one === other) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start++;
  const [restOne, restOther] = [one.slice(start), other.slice(start)];
  if (one.length > other.length) return restOne.slice(1) === restOther;
  if (one.length < other.length) return restOther.slice(1) === restOne;
  if (restOne.slice(1) === restOther.slice(1)) return true;
  const isSwapped = restOne[0] === restOther[1] && restOne[1] === restOther[0];
  return isSwapped && restOne.slice(2) === restOther.slice(2);
}

const MAX_LOCK_BYTES = 16 * 1024 * 1024;
const MAX_MANIFEST_BYTES = 256 * 1024;
const SCRIPTS = ["preinstall", "install", "postinstall"] as const;

/**
 * The script that installing an npm package would run, where this machine knows it and the project's lock file does not
 * have the package yet. Of a package that was never here nothing is known.
 */
export function readInstallScript(spec: PackageSpec, call: ProgramCall): string | undefined {
  const read = (path: string, limit: number) => {
    const full = knownText(joinPath(call.cwd, text(path)));
    return full === undefined ? undefined : call.scope.session.context.files?.readText(full, limit);
  };
  if (spec.kind === "local") return scriptIn(read(`${spec.path}/package.json`, MAX_MANIFEST_BYTES));
  if (spec.kind !== "package") return undefined;
  const place = `node_modules/${spec.name}`;
  const lock = read("package-lock.json", MAX_LOCK_BYTES);
  if (lock === undefined || lock.includes(`"${place}"`)) return undefined;
  return scriptIn(read(`${place}/package.json`, MAX_MANIFEST_BYTES));
}

function scriptIn(manifest: string | undefined): string | undefined {
  const parsed = manifest === undefined ? undefined : readJson(manifest);
  const value = parsed?.ok === true ? parsed.value : undefined;
  const scripts = isJsonObject(value) ? ownValue(value, "scripts") : undefined;
  return isJsonObject(scripts)
    ? SCRIPTS.find(name => typeof ownValue(scripts, name) === "string")
    : undefined;
}

// Names that people install often, by registry: what a look-alike imitates. Facts from public download statistics, kept
// as text and split when a name is first compared.

export const REGISTRIES = ["npm", "pypi", "cargo", "gem", "go"] as const;
export type Registry = (typeof REGISTRIES)[number];

const NPM = `
  abort-controller accepts acorn agent-base ajv ajv-formats angular ansi-colors ansi-escapes ansi-regex ansi-styles antd
  anymatch apollo-server archiver arg argon2 argparse arktype array-flatten ast-types astro async async-mutex autoprefixer
  ava aws-cdk aws-cdk-lib aws-sdk axios axios-retry babel-core babel-eslint babel-jest babel-loader babel-preset-env
  backbone balanced-match base64-js bcrypt bcryptjs better-sqlite3 bignumber.js binary-extensions bl bluebird bn.js
  body-parser bootstrap bowser boxen brace-expansion braces browserify browserslist buffer bull bullmq bunyan bytes c8
  camelcase caniuse-lite canvas chai chalk chance change-case chardet chart.js cheerio chokidar chromatic ci-info classnames
  clean-css cli-progress cli-table3 cliui clone clsx cluster cmdk co codemirror color color-convert color-name colorette
  colors commander commitizen common-tags compression concat-stream concurrently conf config connect consola convict cookie
  cookie-parser copy-webpack-plugin core-js core-js-compat core-util-is cors cosmiconfig create-next-app create-react-app
  create-vite cross-env cross-fetch cross-spawn crypto-js css-loader css-select css-tree cssnano csstype csv-parse
  csv-parser cypress d3 d3-array d3-scale date-fns date-fns-tz dayjs debug decimal.js deep-equal deepmerge del depcheck
  dexie diff dompurify dot-prop dotenv dotenv-cli dotenv-expand dprint drizzle-kit drizzle-orm duplexify echarts ejs
  electron electron-builder electron-to-chromium ember-cli emoji-regex enquirer entities enzyme es-module-lexer esbuild
  esbuild-register escape-html escape-string-regexp eslint eslint-config-airbnb eslint-config-next eslint-config-prettier
  eslint-plugin-import eslint-plugin-jest eslint-plugin-jsx-a11y eslint-plugin-prettier eslint-plugin-react
  eslint-plugin-react-hooks eslint-plugin-unicorn eslint-plugin-vue esm espree esprima estraverse etag ethers event-stream
  eventemitter3 events execa expect expo express express-rate-limit express-session express-validator extend fabric faker
  fast-check fast-deep-equal fast-glob fast-json-stable-stringify fast-xml-parser fastify fastq feather-icons figlet
  file-loader file-saver file-type filesize fill-range finalhandler find-up firebase firebase-admin firebase-tools
  flat flatted follow-redirects fontkit forever fork-ts-checker-webpack-plugin form-data formidable formik framer-motion fs-extra fsevents
  fuse.js gatsby get-port get-stream gh-pages glob glob-parent globals globby google-auth-library googleapis got
  graceful-fs graphql graphql-request graphql-tag grunt gsap gulp handlebars hardhat has-flag helmet highlight.js
  history hoist-non-react-statics hono hosted-git-info hotkeys-js html-react-parser html-webpack-plugin html2canvas
  htmlparser2 http-errors http-proxy http-proxy-agent http-proxy-middleware http-server https-proxy-agent husky i18next
  iconv-lite idb ignore immer immutable import-fresh imurmurhash inflight inherits ini ink inquirer internmap ioredis ip
  ipaddr.js is-number is-odd is-plain-object is-stream isarray iso-639-1 isomorphic-fetch isomorphic-ws jasmine jest
  jest-cli jest-environment-jsdom jest-mock jimp jiti joi jose joycon jquery js-beautify js-cookie js-sha256 js-tokens
  js-yaml jsdoc jsdom jsesc json-schema json-server json-stable-stringify json5 jsonfile jsonpath jsonschema jsonwebtoken
  jspdf jsqr jszip juice karma katex kleur knex knip koa koa-router kysely langchain leaflet lerna less less-loader
  lint-staged listr2 lit locate-path lodash lodash-es lodash.debounce lodash.get lodash.isequal lodash.merge log-symbols
  log4js loglevel loglevel-plugin-prefix lottie-react lottie-web lowdb lru-cache lucide-react luxon madge magic-string mailgun.js make-dir
  mapbox-gl markdown-it marked material-ui maxmind mdast memfs memoize-one meow merge merge2 mermaid methods micro
  micromatch mime mime-db mime-types mini-css-extract-plugin minimatch minimist minipass mitt mixpanel mkdirp mobx
  mobx-react mocha mock-fs moment moment-timezone mongodb mongoose monaco-editor morgan motion mqtt ms msw multer mustache mysql
  mysql2 nan nanoid nconf negotiator neo4j-driver nest-cli next next-auth next-i18next next-seo next-themes ngrok nise
  nock node-addon-api node-cache node-cron node-fetch node-forge node-gyp node-ipc node-pre-gyp node-sass node-schedule nodemailer
  nodemon nopt normalize-path normalize-url normalize.css npm npm-check-updates npm-run-all npm-run-path nprogress nth-check nuxt nx
  nyc object-assign object-hash object-inspect octokit on-finished once onetime open openai optimist ora oxlint p-limit
  p-locate p-map p-queue p-retry pac-proxy-agent pacote pako papaparse parcel parse-json parse5 passport passport-jwt passport-local
  patch-package path-exists path-is-absolute path-key path-parse path-to-regexp path-type pathe pbkdf2 pdf-lib pdf-parse
  pdfjs-dist pdfkit peerjs pg pg-promise phantomjs phaser picocolors picomatch pify pino pino-pretty pinia pirates pkg pkg-dir
  playwright playwright-core plop pluralize pm2 pnpm polished portfinder postcss postcss-cli postcss-import postcss-loader
  postcss-preset-env postcss-selector-parser postcss-value-parser postgres preact prettier prettier-plugin-tailwindcss
  pretty-bytes pretty-format pretty-ms prisma prismjs process progress promise prompts prop-types proper-lockfile
  protobufjs proxy-agent proxy-from-env pug pump punycode puppeteer puppeteer-core q qrcode qs query-string quill rambda ramda
  random-seed randombytes range-parser raw-body rc react react-app-rewired react-beautiful-dnd react-bootstrap react-chartjs-2
  react-datepicker react-day-picker react-dnd react-dom react-dropzone react-error-boundary react-helmet react-hook-form
  react-hot-toast react-i18next react-icons react-intl react-is react-markdown react-modal react-native
  react-native-reanimated react-native-screens react-native-svg react-player react-popper react-query react-redux
  react-router react-router-dom react-scripts react-select react-slick react-spring react-syntax-highlighter react-table
  react-test-renderer react-toastify react-transition-group react-use react-virtualized read-pkg readable-stream readdirp
  recast recharts recoil redis redux redux-form redux-persist redux-saga redux-thunk reflect-metadata regenerator-runtime
  rehype rehype-raw remark remark-gfm remix request request-promise require-from-string reselect resolve resolve-from restify
  retry rimraf robotjs rollup rollup-plugin-visualizer rooks rxjs safe-buffer safer-buffer sanitize-html sass sass-loader sax
  scheduler schema-utils semantic-release semver send sequelize sequelize-cli serialize-javascript serve serve-static
  serverless sharp shelljs shortid shx signal-exit sinon sitemap slash slate slick-carousel slugify socket.io
  socket.io-client socks solid-js sonner source-map source-map-js source-map-support split2 sprintf-js sql.js sqlite3 ssh2 ssri
  standard standard-version statuses storybook string-width strip-ansi strip-bom strip-json-comments stripe style-loader
  styled-components styled-jsx stylelint stylelint-config-standard stylus superagent supertest supports-color svelte
  svelte-check svgo swagger-jsdoc swagger-ui-express swiper swr systeminformation table tailwind-merge tailwindcss
  tailwindcss-animate tap tape tar tar-fs tar-stream telegraf terser terser-webpack-plugin text-table three through through2
  tiktoken tinybench tinycolor2 tippy.js tmp tmp-promise to-regex-range toidentifier tough-cookie tree-kill trpc ts-jest ts-loader ts-morph
  ts-node ts-node-dev tsc-alias tsconfig-paths tslib tslint tsup tsx turbo tus-js-client tweetnacl twilio type-check type-fest type-is
  typedoc typeorm typescript ua-parser-js uglify-js underscore undici unified uniqid universalify unplugin untildify unzipper update-notifier
  uppy uri-js url-join url-loader url-parse use-debounce use-sync-external-store util uuid valibot validator vary vee-validate vinyl
  viem vite vite-node vite-plugin-dts vite-tsconfig-paths vitepress vitest vsce vue vue-i18n vue-loader vue-router vuex vuetify wagmi wait-on
  watchpack web-vitals web3 webpack webpack-bundle-analyzer webpack-cli webpack-dev-server webpack-merge webpack-sources
  websocket whatwg-fetch which winston winston-daily-rotate-file word-wrap workbox-webpack-plugin wrangler wrap-ansi wrappy
  write-file-atomic ws xlsx xml2js xmlbuilder xstate xtend y18n yallist yaml yargs yargs-parser yarn yeoman-generator yjs
  yocto-queue yup zlib zod zone.js zustand zx`;

/** Organisations of npm: whoever owns the name owns everything behind it. */
const NPM_SCOPES = `
  algolia angular ant-design anthropic-ai apollo astrojs auth0 aws-amplify aws-cdk aws-sdk azure babel biomejs
  changesets chakra-ui clerk cloudflare commitlint contentful datadog dnd-kit docusaurus elastic emotion esbuild eslint
  expo faker-js fastify floating-ui fontsource fortawesome formatjs github google google-cloud graphql-tools grpc
  headlessui heroicons hookform huggingface ionic jest jridgewell langchain mantine mdx-js microsoft modelcontextprotocol mui
  nestjs next ngrx nodelib nuxt octokit openai opentelemetry playwright popperjs prisma radix-ui react-aria react-native
  react-navigation react-spring reduxjs remix-run rollup rushstack sanity sentry shopify sinclair slack smithy solana storybook
  stripe supabase sveltejs swc tailwindcss tanstack tensorflow testing-library tiptap trpc tsconfig types
  typescript-eslint uiw upstash vercel vitejs vitest vue vueuse webassemblyjs xstate zag-js`;

const PYPI = `
  absl-py accelerate aiobotocore aiofiles aiohttp aiomysql aiosqlite alembic altair amqp annotated-types ansible ansible-core
  anthropic anyio apache-airflow apispec appdirs apscheduler argcomplete arrow asgiref asn1crypto astroid asttokens
  async-timeout asyncpg atomicwrites attrs autopep8 awscli azure-core azure-identity azure-storage-blob babel backoff bandit
  bcrypt beautifulsoup4 billiard bitsandbytes black bleach blinker bokeh boto boto3 botocore bottle build bs4 cachecontrol
  cachetools celery certifi cffi cfgv chardet charset-normalizer cherrypy chromadb click cloudpickle cmake coloredlogs colorama
  colorlog conan configparser construct contourpy cookiecutter coverage coveralls cryptography css-inline cssselect
  cupy cycler cython dacite dagster dash dask databricks-sdk datadog datasets dateparser dbt-core debugpy decorator deepdiff
  defusedxml deprecated diffusers dill diskcache distlib distributed distro dj-database-url django django-cors-headers
  django-debug-toolbar django-environ django-extensions django-filter django-redis django-storages djangorestframework
  dnspython docker docopt docutils docxtpl duckdb dulwich ecdsa einops elasticsearch email-validator et-xmlfile eventlet
  exceptiongroup execnet executing fabric factory-boy faiss-cpu faker falcon fastapi fastavro fasteners fastjsonschema
  fastparquet feedparser ffmpeg-python filelock fire flake8 flask flask-cors flask-login flask-migrate flask-restful
  flask-sqlalchemy flask-wtf flatbuffers flit fonttools freezegun frozenlist fsspec future fuzzywuzzy gensim geopandas gevent
  gitdb gitpython gradio graphene graphql-core graphviz greenlet grpcio grpcio-status grpcio-tools gspread gtts gunicorn gym
  gymnasium h11 h2 h5py hatch hatchling html5lib htmlmin httpcore httplib2 httptools httpx huggingface-hub humanfriendly
  humanize hvac hydra-core hypercorn hyperopt hypothesis identify idna imageio imbalanced-learn importlib-metadata
  importlib-resources inflection influxdb iniconfig installer invoke ipdb ipykernel ipython ipywidgets isodate isort
  itsdangerous jaraco-classes jax jaxlib jedi jeepney jinja2 jiter jmespath joblib json5 jsonpatch jsonpointer jsonschema
  jupyter jupyter-client jupyter-core jupyterlab kafka-python keras keyring kiwisolver kombu kubernetes langchain
  langchain-community langchain-core langchain-openai langgraph langsmith lazy-object-proxy librosa lightgbm litellm
  llama-cpp-python llama-index llvmlite locust loguru lxml lz4 mako markdown markdown-it-py markupsafe marshmallow matplotlib
  matplotlib-inline maturin mccabe mcp mdurl mistune mkdocs mkdocs-material mlflow mock moto more-itertools mpmath msal
  msgpack multidict multiprocess mypy mypy-extensions mysql-connector-python mysqlclient nbconvert nbformat neo4j nest-asyncio
  networkx newrelic nltk nodeenv nose notebook numba numexpr numpy oauthlib onnx onnxruntime openai opencv-contrib-python
  opencv-python opencv-python-headless openpyxl opentelemetry-api opentelemetry-sdk optuna orjson packaging paho-mqtt pandas
  paramiko parso passlib pathspec patsy peewee pendulum pexpect pillow pika pinecone pip pip-tools pipenv pipx pkginfo platformdirs
  playwright plotly pluggy ply poetry poetry-core polars portalocker pre-commit prefect prettytable prometheus-client
  prompt-toolkit propcache proto-plus protobuf psutil psycopg psycopg2 psycopg2-binary ptyprocess pulp pure-eval py py-cpuinfo
  py4j pyarrow pyasn1 pyasn1-modules pyaudio pyautogui pybind11 pycodestyle pycparser pycryptodome pycryptodomex pydantic pydantic-core
  pydantic-settings pydeck pydot pydub pyflakes pygame pygithub pygments pyinstaller pyjwt pylint pymongo pymssql pymupdf
  pymysql pynacl pynput pyodbc pyopenssl pyparsing pypdf pypdf2 pyperclip pyproject-hooks pyqt5 pyqt6 pyrsistent pyserial pyside6 pysocks pyspark
  pytesseract pytest pytest-asyncio pytest-cov pytest-django pytest-mock pytest-timeout pytest-xdist python-dateutil
  python-decouple python-docx python-dotenv python-jose python-json-logger python-magic python-multipart python-pptx
  python-slugify python-telegram-bot pytorch-lightning pytz pywavelets pywin32 pyyaml pyzmq qdrant-client ray rapidfuzz redis referencing regex
  reportlab requests requests-mock requests-oauthlib requests-toolbelt responses rich robotframework rpds-py rsa ruamel-yaml ruff s3fs
  s3transfer safetensors sanic scikit-image scikit-learn scipy scrapy seaborn secretstorage selenium sentence-transformers
  sentencepiece sentry-sdk setproctitle setuptools setuptools-scm sh shapely shap shellingham simplejson six sklearn slack-sdk smart-open smmap
  sniffio snowflake-connector-python sortedcontainers soundfile soupsieve spacy sphinx sphinx-rtd-theme sqlalchemy sqlmodel
  sqlparse stack-data starlette statsmodels streamlit stripe structlog sympy tables tabulate tblib telethon tenacity tensorboard
  tensorflow termcolor testcontainers textblob textual threadpoolctl tifffile tiktoken timm tinycss2 tldextract tokenizers toml tomli
  tomlkit toolz torch torchaudio torchvision tornado tox tqdm traitlets transformers trio tweepy twilio twine typer
  types-requests typing-extensions typing-inspect tzdata tzlocal ujson unidecode uritemplate urllib3 uv uvicorn uvloop
  validators virtualenv waitress wandb watchdog watchfiles wcwidth weasyprint webencodings websocket-client websockets
  werkzeug wheel whitenoise wrapt wtforms xarray xgboost xlrd xlsxwriter xlwt xmltodict yapf yarl yfinance youtube-dl yt-dlp zeep zipp
  zope-interface zstandard`;

const CARGO = `
  actix actix-rt actix-web ahash aho-corasick anyhow approx arbitrary arc-swap arrayvec askama assert-cmd async-channel
  async-std async-stream async-trait atty axum backtrace base64 bat bevy bincode bindgen bitflags bitvec blake3 block-buffer
  bstr bumpalo bytemuck byteorder bytes cargo-audit cargo-deny cargo-edit cargo-expand cargo-generate cargo-make
  cargo-nextest cargo-outdated cargo-watch cbindgen cc cfg-if chrono clap clap-derive colored config console
  console-error-panic-hook convert-case cookie core-foundation criterion cross crossbeam crossbeam-channel crossbeam-utils
  crossterm csv ctor ctrlc cxx darling dashmap deadpool derivative derive-builder derive-more diesel diesel-cli digest dirs
  displaydoc dotenv dotenvy dyn-clone ed25519-dalek either embedded-hal encoding-rs enum-iterator env-logger erased-serde
  eyre fastrand fd-find ffmpeg-next filetime flate2 flume fnv form-urlencoded fs-extra futures futures-util fxhash
  generic-array getrandom git2 glam glob gloo h2 half handlebars hashbrown heapless heck hex hickory-resolver hmac html5ever
  http httparse human-panic humantime hyper hyper-tls hyperfine image indexmap indicatif indoc inquire insta iced itertools itoa
  jemallocator js-sys jsonwebtoken just k256 kube lalrpop lazy-static lettre leptos libc libloading linked-hash-map log log4rs lru lz4
  maplit matchit md5 mdbook memchr memmap2 mime mimalloc minijinja mio mockall mongodb nalgebra nanoid ndarray nix nom
  notify num num-bigint num-cpus num-derive num-traits object oauth2 once-cell opentelemetry openssl ordered-float parking-lot paste
  pest petgraph phf pin-project pin-project-lite plotters polars postgres pretty-assertions prettytable-rs proc-macro-error
  proc-macro2 prometheus proptest prost pulldown-cmark pyo3 quick-error quick-xml quickcheck quote rand rand-chacha rand-core
  ratatui rayon rdkafka redis regex reqwest ring ripgrep rmp-serde rocket rocksdb ropey rsa rstest rusqlite rust-decimal
  rustc-hash rustls rustyline rusty-v8 ryu same-file sccache schemars scopeguard scraper sea-orm secrecy semver sentry serde
  serde-derive serde-json serde-qs serde-repr serde-urlencoded serde-with serde-yaml serial-test sha1 sha2 shlex signal-hook
  similar simd-json slab slog smallvec smol snafu socket2 spin sqlx sqlx-cli static-assertions stable-deref-trait starship
  structopt strsim strum subtle surf swc syn syntect sysinfo tar tauri tauri-cli tempfile tera term termcolor textwrap
  thiserror thread-local time tinyvec tokei tokio tokio-rustls tokio-stream tokio-tungstenite tokio-util toml toml-edit tonic
  tower tower-http tracing tracing-appender tracing-subscriber trunk trybuild tungstenite typed-builder typenum ulid
  unicode-segmentation unicode-width ureq url urlencoding utoipa uuid validator vergen walkdir warp wasm-bindgen wasm-pack wasmtime
  wat web-sys wgpu which winapi windows winit wiremock xml-rs yaml-rust yew zerocopy zeroize zip zoxide zstd`;

const GEM = `
  actionmailer actionpack activeadmin activejob activemodel activerecord activestorage activesupport acts-as-taggable-on
  addressable airbrake annotate api-pagination appraisal awesome-print aws-sdk aws-sdk-core aws-sdk-s3 bcrypt better-errors
  bigdecimal bindex binding-of-caller bootsnap bootstrap brakeman builder bullet bundler bundler-audit byebug cancancan
  capistrano capybara carrierwave chef childprocess chronic clearance cocoapods coderay coffee-rails colorize concurrent-ruby
  connection-pool crack crass cucumber daemons dalli dante database-cleaner debug devise diff-lcs discourse docker-api
  domain-name doorkeeper dotenv dotenv-rails dry-monads dry-types dry-validation elasticsearch erubi eventmachine excon execjs
  factory-bot factory-bot-rails faker faraday fastlane ffi figaro flipper fog fog-aws friendly-id geocoder globalid google-api-client
  grape graphql guard haml hamlit hashdiff hashie highline honeybadger html-pipeline httparty httpclient i18n image-processing
  importmap-rails irb jbuilder jekyll jquery-rails json json-schema jsonapi-serializer jwt kaminari kramdown launchy
  letter-opener liquid listen loofah mail memoist mechanize method-source mime-types mini-magick mini-mime minitest money mongoid
  msgpack multi-json mustache mustermann mysql2 net-http net-smtp net-ssh newrelic-rpm nio4r nokogiri oauth2 octokit oj omniauth
  omniauth-google-oauth2 openssl optimist overcommit pagy paper-trail paperclip parallel parser pg pghero pry pry-byebug
  pry-rails psych public-suffix puma pundit puppet rack rack-attack rack-cors rack-mini-profiler rack-proxy rack-test rails
  rails-i18n railties rainbow rake ransack rbnacl rdoc redcarpet redis redis-namespace redis-rails regexp-parser reline resque
  rest-client rexml rmagick roda rollbar rouge rspec rspec-core rspec-expectations rspec-mocks rspec-rails rubocop rubocop-ast
  rubocop-performance rubocop-rails rubocop-rspec ruby-lsp ruby-progressbar rubyzip rufus-scheduler sass sass-rails sassc
  scss-lint seedbank selenium-webdriver semantic sentry-rails sentry-ruby sequel sequel-pg shoulda shoulda-matchers sidekiq
  sidekiq-cron simple-form simplecov sinatra slim solargraph sorbet spree spring sprockets sprockets-rails sqlite3 standard
  state-machines stimulus-rails stringex stripe strong-migrations sucker-punch terminal-table thin thor tilt timecop
  turbo-rails turbolinks twilio-ruby twitter typhoeus tzinfo uglifier unicorn vcr view-component warden web-console webdrivers
  webmock webpacker websocket-driver whenever wicked will-paginate yajl-ruby yard zeitwerk`;

/** Modules of Go are addresses: owner and name behind the forge. */
const GO = `
  alecthomas/kingpin aws/aws-sdk-go beego/beego boltdb/bolt burntsushi/toml bytedance/sonic caddyserver/caddy
  charmbracelet/bubbletea charmbracelet/lipgloss cenkalti/backoff confluentinc/confluent-kafka-go coreos/etcd
  davecgh/go-spew dgraph-io/badger docker/docker fatih/color fsnotify/fsnotify gin-gonic/gin go-chi/chi go-delve/delve
  go-git/go-git go-gorm/gorm go-playground/validator go-redis/redis go-resty/resty go-sql-driver/mysql go-task/task
  go-yaml/yaml gofiber/fiber gofrs/uuid gogo/protobuf gohugoio/hugo golang-jwt/jwt golang-migrate/migrate golang/mock
  golang/protobuf golangci/golangci-lint google/go-cmp google/go-github google/uuid google/wire goreleaser/goreleaser
  gorilla/mux gorilla/sessions gorilla/websocket grpc-ecosystem/grpc-gateway hashicorp/consul hashicorp/go-multierror
  hashicorp/hcl hashicorp/terraform hashicorp/vault jackc/pgx jinzhu/gorm jmoiron/sqlx joho/godotenv json-iterator/go
  julienschmidt/httprouter labstack/echo lib/pq mattn/go-sqlite3 minio/minio-go mitchellh/mapstructure nats-io/nats.go
  olekukonko/tablewriter onsi/ginkgo onsi/gomega opencontainers/runc pkg/errors prometheus/client_golang
  redis/go-redis robfig/cron rs/zerolog segmentio/kafka-go shopspring/decimal sirupsen/logrus spf13/cobra spf13/pflag
  spf13/viper stretchr/testify swaggo/swag tidwall/gjson uber-go/zap uber/jaeger-client-go urfave/cli valyala/fasthttp
  vektra/mockery wailsapp/wails`;

const NAMES: Readonly<Record<Registry, string>> = { npm: NPM, pypi: PYPI, cargo: CARGO, gem: GEM, go: GO };
const known = new Map<string, ReadonlySet<string>>();

export function popularNames(registry: Registry | "npm-scopes"): ReadonlySet<string> {
  const found = known.get(registry);
  if (found !== undefined) return found;
  const names = new Set((registry === "npm-scopes" ? NPM_SCOPES : NAMES[registry]).trim().split(/\s+/));
  known.set(registry, names);
  return names;
}

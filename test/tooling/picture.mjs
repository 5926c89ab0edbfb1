// Draws docs/run.svg: a real `ferry run` in a real terminal (tmux), as the README shows it. `npm run build` first.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const columns = 92;
const rows = 30;
const cell = { width: 8.4, height: 19, left: 18, top: 46 };
const colours = ["#484f58", "#ff7b72", "#3fb950", "#d29922", "#58a6ff", "#bc8cff", "#39c5cf", "#c9d1d9"];

const folder = mkdtempSync(join(tmpdir(), "ferry-picture-"));
const home = join(folder, "home");
const project = join(folder, "shop");
const ferry = resolve("bin/ferry.js");
const env = { PATH: process.env.PATH, HOME: home, LANG: "C.UTF-8", TERM: "xterm-256color", FERRY_HOST: "local" };
const run = (program, ...args) => execFileSync(program, args, { env, cwd: project, encoding: "utf8" });
const tmux = (...args) => run("tmux", "-L", "ferry-picture", ...args);

try {
  prepare();
  await play();
  writeFileSync("docs/run.svg", draw(tmux("capture-pane", "-t", "run", "-e", "-p")));
} finally {
  for (const end of [() => tmux("kill-server"), () => run(process.execPath, ferry, "service", "stop", "--yes")]) attempt(end);
  rmSync(folder, { recursive: true, force: true });
}

function prepare() {
  mkdirSync(join(home, "bin"), { recursive: true });
  mkdirSync(project);
  writeFileSync(join(home, "bin/ferry"), `#!/bin/sh\nexec ${process.execPath} ${ferry} "$@"\n`, { mode: 0o755 });
  writeFileSync(join(project, "price.js"), "export const price = (net) => net * 1.2;\n");
  run("git", "init", "--quiet", "--initial-branch=main");
  run("git", "add", ".");
  run("git", "-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "--quiet", "--message=A shop");
  run(process.execPath, ferry, "service", "start");
}

async function play() {
  tmux("new-session", "-d", "-s", "run", "-x", String(columns), "-y", String(rows), "bash --norc --noprofile");
  type(`export PATH=${home}/bin:$PATH PS1='\\[\\e[1;32m\\]shop $\\[\\e[0m\\] '; cd ${project}; clear`);
  await shows(/^shop \$ *$/mu);
  type(`ferry run --model shell 'sed -i s/1.2/1.19/ price.js; cat price.js'`);
  // What is typed ahead of the prompt would be in the picture twice.
  await shows(/undo with.*\nshop \$ *$/mu);
  type("git log --oneline");
  await shows(/A shop\nshop \$ *$/mu);
}

function type(line) {
  tmux("send-keys", "-t", "run", "-l", line);
  tmux("send-keys", "-t", "run", "Enter");
}

async function shows(pattern) {
  for (let look = 0; look < 600; look++) {
    if (pattern.test(tmux("capture-pane", "-t", "run", "-p"))) return;
    await sleep(100);
  }
  throw new Error(`the terminal never showed ${pattern}:\n${tmux("capture-pane", "-t", "run", "-p")}`);
}

function draw(screen) {
  const lines = screen.trimEnd().split("\n").map(spans);
  const width = Math.round(columns * cell.width + 2 * cell.left);
  const height = cell.top + lines.length * cell.height + 8;
  const dots = ["#ff5f57", "#febc2e", "#28c840"].map((fill, at) => `<circle cx="${22 + 20 * at}" cy="20" r="6" fill="${fill}"/>`);
  const text = lines.map(
    (line, at) => `<text x="${cell.left}" y="${cell.top + at * cell.height}" xml:space="preserve">${line}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="ferry run in a terminal">
<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#c9d1d9}</style>
<rect width="100%" height="100%" rx="10" fill="#0d1117"/>
${[...dots, ...text].join("\n")}
</svg>
`;
}

/** One line of the screen with its SGR codes (ECMA-48) as tspans. */
function spans(line) {
  let look = {};
  return line
    .split(/(\u001b\[[\d;]*m)/u)
    .map((part) => {
      const codes = /^\u001b\[([\d;]*)m$/u.exec(part);
      if (codes === null) return part === "" ? "" : `<tspan${attributes(look)}>${escape(part)}</tspan>`;
      for (const code of codes[1].split(";").map(Number)) look = changed(look, code);
      return "";
    })
    .join("");
}

function changed(look, code) {
  if (code === 0) return {};
  if (code === 1) return { ...look, bold: true };
  if (code === 2) return { ...look, dim: true };
  if (code === 3) return { ...look, italic: true };
  if (code === 22) return { ...look, bold: false, dim: false };
  if (code === 23) return { ...look, italic: false };
  if (code === 39) return { ...look, colour: undefined };
  return code >= 30 && code <= 37 ? { ...look, colour: colours[code - 30] } : look;
}

function attributes({ bold, dim, italic, colour }) {
  const style = [bold && "font-weight:bold", italic && "font-style:italic", (dim || colour) && `fill:${colour ?? "#8b949e"}`];
  const given = style.filter(Boolean).join(";");
  return given === "" ? "" : ` style="${given}"`;
}

function escape(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function attempt(action) {
  try {
    action();
  } catch {
    // It may never have started.
  }
}

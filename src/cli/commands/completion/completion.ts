import { Argument } from "commander";
import { scripts, shells, type Shell } from "../../complete/scripts.ts";
import type { Verb } from "../../verb.ts";

export const completion: Verb = {
  name: "completion",
  summary: "Print the completion script of a shell",
  examples: [
    "ferry completion bash > ~/.local/share/bash-completion/completions/ferry",
    "ferry completion zsh > ~/.zfunc/_ferry",
    "ferry completion fish > ~/.config/fish/completions/ferry.fish",
    "ferry completion powershell | Out-String | Invoke-Expression",
  ],
  define: (command) => void command.addArgument(new Argument("<shell>", "which one").choices(shells)),
  run: ({ print }, _, shell: Shell) => print.data(scripts[shell]),
};

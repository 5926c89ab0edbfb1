import { Argument } from "commander";
import { scripts, shells, type Shell } from "../../complete/scripts.ts";
import type { Verb } from "../../verb.ts";

export const completion: Verb = {
  name: "completion",
  summary: "Print the completion script of a shell",
  description:
    "Print the completion script of a shell. It goes into a folder where the shell looks for such: make that first where it isn't there. In bash the package bash-completion reads that folder. For zsh that is any folder of fpath, and ~/.zshrc has, in this order: fpath=(~/.zfunc $fpath), autoload -U compinit, compinit. A second name for the same file beside it (git-ferry in bash, _git-ferry in zsh, git-ferry.fish) completes git ferry.",
  examples: [
    "mkdir -p ~/.local/share/bash-completion/completions",
    "ferry completion bash > ~/.local/share/bash-completion/completions/ferry",
    "mkdir -p ~/.zfunc && ferry completion zsh > ~/.zfunc/_ferry",
    "mkdir -p ~/.config/fish/completions",
    "ferry completion fish > ~/.config/fish/completions/ferry.fish",
    "ferry completion powershell | Out-String | Invoke-Expression",
  ],
  define: (command) => void command.addArgument(new Argument("<shell>", "which one").choices(shells)),
  run: ({ print }, _, shell: Shell) => print.data(scripts[shell]),
};

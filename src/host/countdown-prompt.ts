import {
  createPrompt,
  isEnterKey,
  makeTheme,
  type Theme,
  useEffect,
  useKeypress,
  usePrefix,
  useRef,
  useState,
} from "@inquirer/core";
import { folded } from "./folded.ts";

interface Question {
  readonly message: string;
  readonly until: number;
  readonly theme?: Partial<Pick<Theme, "prefix" | "spinner">>;
}

/** A line of text, with the time that is left beside the question. It ends nothing by itself: whoever asks has a signal for that. */
export const askUntil = createPrompt<string, Question>(({ message, until, theme }, done) => {
  const [text, setText] = useState("");
  const [left, setLeft] = useState(until - Date.now());
  const [over, setOver] = useState(false);
  const end = useRef<{ readonly before: string; timer?: NodeJS.Timeout | undefined }>({ before: "" });
  const prefix = usePrefix({ status: over ? "done" : "idle", theme: makeTheme({}, theme) });
  useEffect(() => {
    const timer = setInterval(() => setLeft(until - Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  useKeypress((key, line) => {
    clearTimeout(end.current.timer);
    if (!isEnterKey(key)) {
      setText(end.current.before + line.line);
      return;
    }
    if (line.line.trim() === "" && text.trim() === "") return;
    const finish = (): void => {
      setOver(true);
      done(text);
    };
    end.current = { before: text, timer: setTimeout(finish, pasting) };
  });
  // A pasted code is no use to who looks over the shoulder later.
  return over ? `${prefix} ${folded(message)}` : `${prefix} ${folded(`${message} (${minutes(left)} left)`)} ${endOf(text)}`;
});

/** So soon, in ms, after a line's end nobody types on: what comes then is the rest of an address that was broken where it was copied. */
const pasting = 50;

/** In characters: all is drawn anew with each, which takes seconds for a pasted address as a whole. */
const shown = 40;

function endOf(text: string): string {
  return text.length <= shown ? text : `...${text.slice(3 - shown)}`;
}

function minutes(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

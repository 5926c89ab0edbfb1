/** A provider of models, as far as an agent in a sandbox may call it. */
export interface Provider {
  readonly name: "anthropic" | "openai" | "google";
  /** Its interface's address, unless the variable of that name says otherwise. */
  readonly address: string;
  readonly addressVariable: string;
  /** The variables that hold a key, in the order in which they are looked for. */
  readonly keys: readonly KeyForm[];
  /** The model calls. Paths are below the address; nothing else gets through. */
  readonly calls: readonly Call[];
}

/** How a key is sent. */
export interface KeyForm {
  readonly variable: string;
  readonly header: "x-api-key" | "authorization" | "x-goog-api-key";
  readonly scheme: "" | "Bearer ";
}

interface Call {
  readonly method: "GET" | "POST";
  readonly path: RegExp;
}

// A model's name begins with a letter or a digit: `..` would lead to another call.
const post = (path: RegExp): Call => ({ method: "POST", path });
const get = (path: RegExp): Call => ({ method: "GET", path });

/** Every provider that the gateway knows. An address of one's own (a company's proxy, a model on this machine) speaks one of these forms. */
export const providers = {
  anthropic: {
    name: "anthropic",
    address: "https://api.anthropic.com",
    addressVariable: "ANTHROPIC_BASE_URL",
    keys: [
      { variable: "ANTHROPIC_API_KEY", header: "x-api-key", scheme: "" },
      { variable: "ANTHROPIC_AUTH_TOKEN", header: "authorization", scheme: "Bearer " },
      // Of `claude setup-token`: a subscription, valid for a year.
      { variable: "CLAUDE_CODE_OAUTH_TOKEN", header: "authorization", scheme: "Bearer " },
    ],
    calls: [
      post(/^\/v1\/messages$/u),
      post(/^\/v1\/messages\/count_tokens$/u),
      get(/^\/v1\/models$/u),
      get(/^\/v1\/models\/[a-zA-Z0-9][\w.-]*$/u),
    ],
  },
  openai: {
    name: "openai",
    address: "https://api.openai.com/v1",
    addressVariable: "OPENAI_BASE_URL",
    keys: [{ variable: "OPENAI_API_KEY", header: "authorization", scheme: "Bearer " }],
    calls: [
      post(/^\/chat\/completions$/u),
      post(/^\/responses$/u),
      post(/^\/responses\/compact$/u),
      get(/^\/models$/u),
      get(/^\/models\/[a-zA-Z0-9][\w.:-]*$/u),
    ],
  },
  google: {
    name: "google",
    address: "https://generativelanguage.googleapis.com",
    addressVariable: "GOOGLE_GEMINI_BASE_URL",
    keys: [
      { variable: "GEMINI_API_KEY", header: "x-goog-api-key", scheme: "" },
      { variable: "GOOGLE_API_KEY", header: "x-goog-api-key", scheme: "" },
    ],
    calls: [
      post(/^\/v1(alpha|beta)?\/models\/[a-zA-Z0-9][\w.-]*:(generateContent|streamGenerateContent|countTokens|embedContent)$/u),
      get(/^\/v1(alpha|beta)?\/models$/u),
      get(/^\/v1(alpha|beta)?\/models\/[a-zA-Z0-9][\w.-]*$/u),
    ],
  },
} as const satisfies Readonly<Record<Provider["name"], Provider>>;

/** The tools that ferry hands to an agent. */
export interface ToolBox {
  readonly tools: readonly ToolDescription[];
  /** Never throws: what goes wrong is an answer too. The arguments are whatever the agent sent. */
  call(name: string, args: unknown): Promise<ToolAnswer>;
}

/** See "Tools" in the Model Context Protocol. */
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: InputSchema;
}

export interface InputSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
  readonly additionalProperties: false;
}

export interface ToolAnswer {
  readonly text: string;
  readonly failed: boolean;
}

import { expect, test } from "vitest";
import { filterFor, processorOf } from "../../../../src/service/sandbox/namespaces/system-calls.ts";

/** struct seccomp_data, as far as the filter looks at it. */
interface Call {
  readonly audit: number;
  readonly number: number;
  readonly argument?: number;
  /** The second argument's lower half. */
  readonly second?: number;
}

const x64 = 0xc000003e;
const arm64 = 0xc00000b7;
const allowed = "allowed";
const noSuchCall = "error 38";
const noSuchFamily = "error 97";
const notPermitted = "error 1";

test.each<[string, string, Call, string]>([
  ["x64", "read", { audit: x64, number: 0 }, allowed],
  ["x64", "add_key", { audit: x64, number: 248 }, noSuchCall],
  ["x64", "request_key", { audit: x64, number: 249 }, noSuchCall],
  ["x64", "keyctl", { audit: x64, number: 250 }, noSuchCall],
  ["x64", "keyctl of x32", { audit: x64, number: 0x4000_0000 + 250 }, noSuchCall],
  ["x64", "read of x32", { audit: x64, number: 0x4000_0000 }, noSuchCall],
  ["x64", "keyctl of i386", { audit: 0x4000_0003, number: 288 }, "killed"],
  ["x64", "bpf", { audit: x64, number: 321 }, noSuchCall],
  ["x64", "perf_event_open", { audit: x64, number: 298 }, noSuchCall],
  ["arm64", "userfaultfd", { audit: arm64, number: 282 }, noSuchCall],
  ["x64", "io_uring_setup", { audit: x64, number: 425 }, noSuchCall],
  ["x64", "io_uring_register", { audit: x64, number: 427 }, noSuchCall],
  ["x64", "socket(AF_UNIX)", { audit: x64, number: 41, argument: 1 }, allowed],
  ["x64", "socket(AF_INET6)", { audit: x64, number: 41, argument: 10 }, allowed],
  ["x64", "socket(AF_VSOCK)", { audit: x64, number: 41, argument: 40 }, noSuchFamily],
  ["x64", "ioctl(TIOCSTI)", { audit: x64, number: 16, second: 0x5412 }, notPermitted],
  ["x64", "ioctl(TIOCLINUX)", { audit: x64, number: 16, second: 0x541c }, notPermitted],
  ["x64", "ioctl(TIOCGWINSZ)", { audit: x64, number: 16, second: 0x5413 }, allowed],
  ["x64", "ioctl on descriptor 40", { audit: x64, number: 16, argument: 40, second: 0x5413 }, allowed],
  ["x64", "another call with TIOCSTI", { audit: x64, number: 17, second: 0x5412 }, allowed],
  ["arm64", "ioctl(TIOCSTI)", { audit: arm64, number: 29, second: 0x5412 }, notPermitted],
  ["x64", "another call with 40", { audit: x64, number: 42, argument: 40 }, allowed],
  ["arm64", "read", { audit: arm64, number: 63 }, allowed],
  ["arm64", "add_key", { audit: arm64, number: 217 }, noSuchCall],
  ["arm64", "keyctl", { audit: arm64, number: 219 }, noSuchCall],
  ["arm64", "io_uring_enter", { audit: arm64, number: 426 }, noSuchCall],
  ["arm64", "socket(AF_INET)", { audit: arm64, number: 198, argument: 2 }, allowed],
  ["arm64", "socket(AF_VSOCK)", { audit: arm64, number: 198, argument: 40 }, noSuchFamily],
  ["arm64", "keyctl of arm", { audit: 0x4000_0028, number: 311 }, "killed"],
])("on %s %s", (arch, _name, call, verdict) => {
  const processor = processorOf(arch);
  expect(processor && judge(filterFor(processor), call)).toBe(verdict);
});

test("a processor whose calls aren't known has no filter", () => {
  expect(processorOf("s390x")).toBeUndefined();
  expect(processorOf("constructor")).toBeUndefined();
});

/** The kernel's machine for classic BPF, as far as the filter uses it; anything else in it is an error. */
function judge(filter: Buffer, call: Call): string {
  const fields = new Map([
    [0, call.number],
    [4, call.audit],
    [16, call.argument ?? 0],
    [24, call.second ?? 0],
  ]);
  let accumulator = NaN;
  for (let at = 0; ; at += 8) {
    const value = filter.readUInt32LE(at + 4);
    const skip = (holds: boolean): number => 8 * filter.readUInt8(at + (holds ? 2 : 3));
    switch (filter.readUInt16LE(at)) {
      case 0x20:
        accumulator = fields.get(value) ?? NaN;
        break;
      case 0x15:
        at += skip(accumulator === value);
        break;
      case 0x35:
        at += skip(accumulator >= value);
        break;
      case 0x06:
        return verdictOf(value);
      default:
        throw new Error(`no such instruction: ${filter.subarray(at, at + 8).toString("hex")}`);
    }
  }
}

function verdictOf(value: number): string {
  if (value === 0x7fff_0000) return allowed;
  if (value === 0x8000_0000) return "killed";
  return value >>> 16 === 5 ? `error ${value & 0xffff}` : `unknown ${value}`;
}

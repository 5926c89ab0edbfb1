/** What a filter of system calls has to know of a processor. */
export interface Processor {
  /** AUDIT_ARCH_* of linux/audit.h: the machine as in elf.h, 64 bits, little endian. */
  readonly audit: number;
  /** From here on the numbers are those of a second interface (x32), which has each call once more. */
  readonly second?: number;
  /** add_key, request_key and keyctl: keyrings have no namespace, and who has one open may read it whoever he is (keyrings(7)). */
  readonly keys: readonly number[];
  /** bpf, perf_event_open and userfaultfd: ways into the kernel that no build needs, and that containers don't have either. */
  readonly depths: readonly number[];
  readonly socket: number;
  readonly ioctl: number;
  /** clone and unshare, both with flags as their first argument. */
  readonly clones: readonly number[];
  /** For whoever puts the filter in force. */
  readonly prctl: number;
}

const processors: ReadonlyMap<string, Processor> = new Map([
  // asm/unistd_64.h, and __X32_SYSCALL_BIT of asm/unistd.h.
  [
    "x64",
    {
      audit: 0xc000_003e,
      second: 0x4000_0000,
      keys: [248, 249, 250],
      depths: [321, 298, 323],
      socket: 41,
      ioctl: 16,
      clones: [56, 272],
      prctl: 157,
    },
  ],
  // asm-generic/unistd.h
  [
    "arm64",
    { audit: 0xc000_00b7, keys: [217, 218, 219], depths: [280, 241, 282], socket: 198, ioctl: 29, clones: [220, 97], prctl: 167 },
  ],
]);

/** The processor by Node's name for it (`os.arch()`); undefined where its numbers aren't known here. */
export function processorOf(arch: string): Processor | undefined {
  return processors.get(arch);
}

/** io_uring_setup, io_uring_enter and io_uring_register, the same everywhere: they do what a filter of calls can't see. */
const uring = [425, 426, 427];
/** AF_UNIX, AF_INET, AF_INET6 and AF_NETLINK, which end at the network namespace. Others don't: AF_VSOCK leads to the machine outside. */
const families = [1, 2, 10, 16];

/**
 * TIOCSTI and TIOCLINUX of asm-generic/ioctls.h: they type into a terminal as if a person did. Nobody inside has one that isn't the
 * sandbox's own; should a way to another ever be found, it is no keyboard.
 */
const typing = [0x5412, 0x541c];

/** Where struct seccomp_data has the number, the processor and the first two arguments' lower halves (linux/seccomp.h). */
const data = { number: 0, processor: 4, argument: 16, second: 24 } as const;

/** SECCOMP_RET_* of linux/seccomp.h. The errors are those of a kernel built without (ENOSYS, EAFNOSUPPORT), so that programs do without. */
const verdict = {
  allow: 0x7fff_0000,
  kill: 0x8000_0000,
  noSuchCall: 0x0005_0000 + 38,
  noSuchFamily: 0x0005_0000 + 97,
  notPermitted: 0x0005_0000 + 1,
} as const;

/** clone3, the same everywhere: its flags lie where a filter can't see them, and the C library does without it. */
const clone3 = 435;
/** CLONE_NEWUSER of linux/sched.h. */
const newUser = 0x1000_0000;

/**
 * A filter, as classic BPF, of the system calls that lead past the namespaces (seccomp(2)). A program for another processor is ended,
 * since its calls have other numbers; all else is allowed.
 * @param sealed also refuses new user namespaces, where nothing else does
 */
export function filterFor({ audit, second, keys, depths, socket, ioctl, clones }: Processor, sealed = false): Buffer {
  const refused = [...keys, ...depths, ...uring, ...(sealed ? [clone3] : [])].flatMap((number) =>
    on(equal, number, verdict.noSuchCall),
  );
  return Buffer.concat([
    load(data.processor),
    jump(equal, audit, 1, 0),
    end(verdict.kill),
    load(data.number),
    ...(second === undefined ? [] : on(atLeast, second, verdict.noSuchCall)),
    ...refused,
    ...(sealed ? clones.flatMap((number) => seal(number)) : []),
    // Of a request only the lower half counts for the kernel, too.
    jump(equal, ioctl, 0, 6),
    load(data.second),
    ...typing.flatMap((request) => on(equal, request, verdict.notPermitted)),
    end(verdict.allow),
    jump(equal, socket, 1, 0),
    end(verdict.allow),
    load(data.argument),
    ...families.flatMap((family) => on(equal, family, verdict.allow)),
    end(verdict.noSuchFamily),
  ]);
}

/** BPF_JMP with BPF_JEQ, BPF_JGE or BPF_JSET (linux/bpf_common.h). */
const equal = 0x15;
const atLeast = 0x35;
const hasBit = 0x45;

/** Refuses the call with that number where its flags ask for a user namespace. */
function seal(number: number): Buffer[] {
  return [
    jump(equal, number, 0, 4),
    load(data.argument),
    jump(hasBit, newUser, 0, 1),
    end(verdict.notPermitted),
    end(verdict.allow),
  ];
}

function on(test: number, value: number, result: number): Buffer[] {
  return [jump(test, value, 0, 1), end(result)];
}

function load(offset: number): Buffer {
  return instruction(0x20, offset);
}

function end(result: number): Buffer {
  return instruction(0x06, result);
}

/** Skips `yes` or `no` instructions. */
function jump(test: number, value: number, yes: number, no: number): Buffer {
  return instruction(test + (yes << 16) + (no << 24), value);
}

/** struct sock_filter of linux/filter.h: 16 bits of code, two jumps of 8, 32 bits of value. */
function instruction(head: number, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32LE(head);
  bytes.writeUInt32LE(value, 4);
  return bytes;
}

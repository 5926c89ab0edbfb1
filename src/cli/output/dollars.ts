/** `$2`, `$10.50`, `less than $0.01`. */
export function dollars(amount: number): string {
  if (amount > 0 && amount < 0.01) return "less than $0.01";
  return `$${Number.isInteger(amount) ? String(amount) : amount.toFixed(2)}`;
}

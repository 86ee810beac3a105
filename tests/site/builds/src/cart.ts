export interface Item { name: string; price: number }

/** Sum of the prices, of a cart that may be missing. */
export function total(items: Item[] | undefined): number {
  let sum = 0;
  for (const item of items!) sum += item.price;
  return sum;
}

export class Checkout {
  constructor(private readonly items?: Item[]) {}

  pay(): string {
    return `Paid ${total(this.items)}`;
  }
}

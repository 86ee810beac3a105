import { Checkout } from './cart';

function onPay(): void {
  document.title = new Checkout().pay();
}

function onLog(): void {
  console.error(new Error('cart is empty'));
}

async function onLater(): Promise<void> {
  await Promise.resolve();
  throw new RangeError('too late');
}

document.querySelector('#pay')!.addEventListener('click', onPay);
document.querySelector('#log')!.addEventListener('click', onLog);
document.querySelector('#later')!.addEventListener('click', () => void onLater());

/*
 * ATTENTION: An "eval-source-map" devtool has been used.
 * This devtool is neither made for production nor for readable output files.
 * It uses "eval()" calls to create a separate source file with attached SourceMaps in the browser devtools.
 * If you are trying to read the output file, select a different devtool (https://webpack.js.org/configuration/devtool/)
 * or disable the default devtool with "devtool: false".
 * If you are looking for production-ready output files, see mode: "production" (https://webpack.js.org/configuration/mode/).
 */
/******/ (() => { // webpackBootstrap
/******/ 	"use strict";
/******/ 	var __webpack_modules__ = ({

/***/ "./src/cart.ts"
/*!*********************!*\
  !*** ./src/cart.ts ***!
  \*********************/
(__unused_webpack_module, __webpack_exports__, __webpack_require__) {

eval("{__webpack_require__.r(__webpack_exports__);\n/* harmony export */ __webpack_require__.d(__webpack_exports__, {\n/* harmony export */   Checkout: () => (/* binding */ Checkout),\n/* harmony export */   total: () => (/* binding */ total)\n/* harmony export */ });\n/** Sum of the prices, of a cart that may be missing. */\nfunction total(items) {\n    let sum = 0;\n    for (const item of items)\n        sum += item.price;\n    return sum;\n}\nclass Checkout {\n    items;\n    constructor(items) {\n        this.items = items;\n    }\n    pay() {\n        return `Paid ${total(this.items)}`;\n    }\n}\n//# sourceURL=[module]\n//# sourceMappingURL=data:application/json;charset=utf-8;base64,eyJ2ZXJzaW9uIjozLCJmaWxlIjoiLi9zcmMvY2FydC50cyIsIm1hcHBpbmdzIjoiOzs7OztBQUVBLHdEQUF3RDtBQUNqRCxTQUFTLEtBQUssQ0FBQyxLQUF5QjtJQUM3QyxJQUFJLEdBQUcsR0FBRyxDQUFDLENBQUM7SUFDWixLQUFLLE1BQU0sSUFBSSxJQUFJLEtBQU07UUFBRSxHQUFHLElBQUksSUFBSSxDQUFDLEtBQUssQ0FBQztJQUM3QyxPQUFPLEdBQUcsQ0FBQztBQUNiLENBQUM7QUFFTSxNQUFNLFFBQVE7SUFDVTtJQUE3QixZQUE2QixLQUFjO1FBQWQsVUFBSyxHQUFMLEtBQUssQ0FBUztJQUFHLENBQUM7SUFFL0MsR0FBRztRQUNELE9BQU8sUUFBUSxLQUFLLENBQUMsSUFBSSxDQUFDLEtBQUssQ0FBQyxFQUFFLENBQUM7SUFDckMsQ0FBQztDQUNGIiwic291cmNlcyI6WyJ3ZWJwYWNrOi8vc2hvcC8uL3NyYy9jYXJ0LnRzP2M1MjIiXSwic291cmNlc0NvbnRlbnQiOlsiZXhwb3J0IGludGVyZmFjZSBJdGVtIHsgbmFtZTogc3RyaW5nOyBwcmljZTogbnVtYmVyIH1cblxuLyoqIFN1bSBvZiB0aGUgcHJpY2VzLCBvZiBhIGNhcnQgdGhhdCBtYXkgYmUgbWlzc2luZy4gKi9cbmV4cG9ydCBmdW5jdGlvbiB0b3RhbChpdGVtczogSXRlbVtdIHwgdW5kZWZpbmVkKTogbnVtYmVyIHtcbiAgbGV0IHN1bSA9IDA7XG4gIGZvciAoY29uc3QgaXRlbSBvZiBpdGVtcyEpIHN1bSArPSBpdGVtLnByaWNlO1xuICByZXR1cm4gc3VtO1xufVxuXG5leHBvcnQgY2xhc3MgQ2hlY2tvdXQge1xuICBjb25zdHJ1Y3Rvcihwcml2YXRlIHJlYWRvbmx5IGl0ZW1zPzogSXRlbVtdKSB7fVxuXG4gIHBheSgpOiBzdHJpbmcge1xuICAgIHJldHVybiBgUGFpZCAke3RvdGFsKHRoaXMuaXRlbXMpfWA7XG4gIH1cbn1cbiJdLCJuYW1lcyI6W10sInNvdXJjZVJvb3QiOiIifQ==\n//# sourceURL=webpack-internal:///./src/cart.ts\n\n}");

/***/ },

/***/ "./src/main.ts"
/*!*********************!*\
  !*** ./src/main.ts ***!
  \*********************/
(__unused_webpack_module, __webpack_exports__, __webpack_require__) {

eval("{__webpack_require__.r(__webpack_exports__);\n/* harmony import */ var _cart__WEBPACK_IMPORTED_MODULE_0__ = __webpack_require__(/*! ./cart */ \"./src/cart.ts\");\n\nfunction onPay() {\n    document.title = new _cart__WEBPACK_IMPORTED_MODULE_0__.Checkout().pay();\n}\nfunction onLog() {\n    console.error(new Error('cart is empty'));\n}\nasync function onLater() {\n    await Promise.resolve();\n    throw new RangeError('too late');\n}\ndocument.querySelector('#pay').addEventListener('click', onPay);\ndocument.querySelector('#log').addEventListener('click', onLog);\ndocument.querySelector('#later').addEventListener('click', () => void onLater());\n//# sourceURL=[module]\n//# sourceMappingURL=data:application/json;charset=utf-8;base64,eyJ2ZXJzaW9uIjozLCJmaWxlIjoiLi9zcmMvbWFpbi50cyIsIm1hcHBpbmdzIjoiOztBQUFrQztBQUVsQyxTQUFTLEtBQUs7SUFDWixRQUFRLENBQUMsS0FBSyxHQUFHLElBQUksMkNBQVEsRUFBRSxDQUFDLEdBQUcsRUFBRSxDQUFDO0FBQ3hDLENBQUM7QUFFRCxTQUFTLEtBQUs7SUFDWixPQUFPLENBQUMsS0FBSyxDQUFDLElBQUksS0FBSyxDQUFDLGVBQWUsQ0FBQyxDQUFDLENBQUM7QUFDNUMsQ0FBQztBQUVELEtBQUssVUFBVSxPQUFPO0lBQ3BCLE1BQU0sT0FBTyxDQUFDLE9BQU8sRUFBRSxDQUFDO0lBQ3hCLE1BQU0sSUFBSSxVQUFVLENBQUMsVUFBVSxDQUFDLENBQUM7QUFDbkMsQ0FBQztBQUVELFFBQVEsQ0FBQyxhQUFhLENBQUMsTUFBTSxDQUFFLENBQUMsZ0JBQWdCLENBQUMsT0FBTyxFQUFFLEtBQUssQ0FBQyxDQUFDO0FBQ2pFLFFBQVEsQ0FBQyxhQUFhLENBQUMsTUFBTSxDQUFFLENBQUMsZ0JBQWdCLENBQUMsT0FBTyxFQUFFLEtBQUssQ0FBQyxDQUFDO0FBQ2pFLFFBQVEsQ0FBQyxhQUFhLENBQUMsUUFBUSxDQUFFLENBQUMsZ0JBQWdCLENBQUMsT0FBTyxFQUFFLEdBQUcsRUFBRSxDQUFDLEtBQUssT0FBTyxFQUFFLENBQUMsQ0FBQyIsInNvdXJjZXMiOlsid2VicGFjazovL3Nob3AvLi9zcmMvbWFpbi50cz9jZDQ5Il0sInNvdXJjZXNDb250ZW50IjpbImltcG9ydCB7IENoZWNrb3V0IH0gZnJvbSAnLi9jYXJ0JztcblxuZnVuY3Rpb24gb25QYXkoKTogdm9pZCB7XG4gIGRvY3VtZW50LnRpdGxlID0gbmV3IENoZWNrb3V0KCkucGF5KCk7XG59XG5cbmZ1bmN0aW9uIG9uTG9nKCk6IHZvaWQge1xuICBjb25zb2xlLmVycm9yKG5ldyBFcnJvcignY2FydCBpcyBlbXB0eScpKTtcbn1cblxuYXN5bmMgZnVuY3Rpb24gb25MYXRlcigpOiBQcm9taXNlPHZvaWQ+IHtcbiAgYXdhaXQgUHJvbWlzZS5yZXNvbHZlKCk7XG4gIHRocm93IG5ldyBSYW5nZUVycm9yKCd0b28gbGF0ZScpO1xufVxuXG5kb2N1bWVudC5xdWVyeVNlbGVjdG9yKCcjcGF5JykhLmFkZEV2ZW50TGlzdGVuZXIoJ2NsaWNrJywgb25QYXkpO1xuZG9jdW1lbnQucXVlcnlTZWxlY3RvcignI2xvZycpIS5hZGRFdmVudExpc3RlbmVyKCdjbGljaycsIG9uTG9nKTtcbmRvY3VtZW50LnF1ZXJ5U2VsZWN0b3IoJyNsYXRlcicpIS5hZGRFdmVudExpc3RlbmVyKCdjbGljaycsICgpID0+IHZvaWQgb25MYXRlcigpKTtcbiJdLCJuYW1lcyI6W10sInNvdXJjZVJvb3QiOiIifQ==\n//# sourceURL=webpack-internal:///./src/main.ts\n\n}");

/***/ }

/******/ 	});
/************************************************************************/
/******/ 	// The module cache
/******/ 	const __webpack_module_cache__ = {};
/******/ 	
/******/ 	// The require function
/******/ 	function __webpack_require__(moduleId) {
/******/ 		// Check if module is in cache
/******/ 		const cachedModule = __webpack_module_cache__[moduleId];
/******/ 		if (cachedModule !== undefined) {
/******/ 			return cachedModule.exports;
/******/ 		}
/******/ 		// Create a new module (and put it into the cache)
/******/ 		const module = __webpack_module_cache__[moduleId] = {
/******/ 			// no module.id needed
/******/ 			// no module.loaded needed
/******/ 			exports: {}
/******/ 		};
/******/ 	
/******/ 		// Execute the module function
/******/ 		if (!(moduleId in __webpack_modules__)) {
/******/ 			delete __webpack_module_cache__[moduleId];
/******/ 			const e = new Error("Cannot find module '" + moduleId + "'");
/******/ 			e.code = 'MODULE_NOT_FOUND';
/******/ 			throw e;
/******/ 		}
/******/ 		__webpack_modules__[moduleId](module, module.exports, __webpack_require__);
/******/ 	
/******/ 		// Return the exports of the module
/******/ 		return module.exports;
/******/ 	}
/******/ 	
/************************************************************************/
/******/ 	/* webpack/runtime/define property getters */
/******/ 	// define getter/value functions for harmony exports
/******/ 	__webpack_require__.d = (exports, definition) => {
/******/ 		for(var key in definition) {
/******/ 			if(__webpack_require__.o(definition, key) && !__webpack_require__.o(exports, key)) {
/******/ 				Object.defineProperty(exports, key, { enumerable: true, get: definition[key] });
/******/ 			}
/******/ 		}
/******/ 	};
/******/ 	
/******/ 	/* webpack/runtime/hasOwnProperty shorthand */
/******/ 	__webpack_require__.o = (obj, prop) => (Object.prototype.hasOwnProperty.call(obj, prop));
/******/ 	
/******/ 	/* webpack/runtime/make namespace object */
/******/ 	// define __esModule on exports
/******/ 	__webpack_require__.r = (exports) => {
/******/ 		Object.defineProperties(exports, { [Symbol.toStringTag]: { value: 'Module' }, __esModule: { value: true } });
/******/ 	};
/******/ 	
/************************************************************************/
/******/ 	
/******/ 	// startup
/******/ 	// Load entry module and return exports
/******/ 	// This entry module can't be inlined because the eval-source-map devtool is used.
/******/ 	let __webpack_exports__ = __webpack_require__("./src/main.ts");
/******/ 	
/******/ })()
;
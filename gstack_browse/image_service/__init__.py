"""An image service that a person has set: pictures from words, with the interface that OpenAI has made common. No other service is asked."""

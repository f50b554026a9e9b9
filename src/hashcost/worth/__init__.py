"""What a cost is worth: policies' floors and attackers' prices, with source and date."""
